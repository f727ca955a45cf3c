import { code, page, plain, table } from '../../../docs/.vitepress/reference/markdown.ts'
import { contenderNames, contenders } from '../contenders/contenders.ts'
import type { Part, Section } from './part.ts'
import type { Command } from './run-logged.ts'

export interface Report {
  seed: number
  isQuick: boolean
  startedAt: string
  machine: Record<string, string>
  chapters: readonly Chapter[]
}

export interface Chapter extends Pick<Part, 'name' | 'title' | 'intro'>, Section {
  minutes: number
  /** Set if the chapter was added later, or replaces an earlier one. */
  added?: { at: string; revision: string }
  commands: readonly Omit<Command, 'stdout'>[]
}

const description =
  'Measured results: faults, failover, full disks, conformance and speed, beside what people would write or take instead.'

/** Reads a report.json. Older ones call the contenders rivals and sides, and this kit ours. */
export function parseReport(json: string): Report {
  return JSON.parse(
    json
      .replace(/"name": "rivals"/, '"name": "contenders"')
      .replaceAll(/"side": "ours"/g, '"contender": "feed-receiver"')
      .replaceAll(/"side": /g, '"contender": '),
  )
}

/** The report as a page. Its logs are in `logs` below the folder that is given. */
export function formatReport(report: Report, folder: string): string {
  return page(
    'Proof',
    description,
    ...summary(report, folder),
    ...report.chapters.map((chapter) => formatChapter(chapter, folder)),
    '## Versions',
    table(
      ['', ''],
      Object.entries(report.machine).map(([name, value]) => [name, plain(value)]),
    ),
  )
}

function summary(report: Report, folder: string): string[] {
  const { seed, isQuick, startedAt, chapters } = report
  const minutes = minutesOf(report)
  const again = `npm run prove -- --seed ${seed}${isQuick ? ' --quick' : ''}`
  const when = `${startedAt.slice(0, 10)}, in ${Math.ceil(minutes)} minutes`
  return [
    `Measured on ${when}, on one machine, by ${code(again)}. The same command runs it on yours. Every figure and what each fault showed: [report.json](${folder}/report.json).`,
    table(
      ['Chapter', 'This kit'],
      chapters.map(({ title, problems, verdict = 'holds' }) => [
        `[${title}](#${anchorOf(title)})`,
        problems.length === 0 ? verdict : problems.map(plain).join('<br>'),
      ]),
    ),
    ...receiversTable(chapters),
  ]
}

/** All receivers that the chapters compare, one in each row. */
function receiversTable(chapters: readonly Chapter[]): string[] {
  const columns = chapters.flatMap((chapter) => chapter.columns ?? [])
  if (columns.length === 0) return []
  const rows = contenderNames.map((name) => [
    contenders[name].title,
    ...columns.map((column) => column.of[name] ?? '–'),
  ])
  return [table(['Receiver', ...columns.map(({ title }) => title)], rows)]
}

/** How long all chapters took together. */
export function minutesOf({ chapters }: Report): number {
  return chapters.reduce((sum, { minutes }) => sum + minutes, 0)
}

function formatChapter(chapter: Chapter, folder: string): string {
  const { title, intro, added, body, commands } = chapter
  const later = added
    ? `Run separately on ${added.at.slice(0, 10)}, of revision ${added.revision}.`
    : ''
  const logs = commands.map(
    ({ name, text, exitCode, seconds }) =>
      `- [${name}](${folder}/logs/${name}.txt), ${Math.round(seconds)} s, exit code ${exitCode}: ${code(text)}`,
  )
  return [`## ${title}`, intro, later, body, logs.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')
}
