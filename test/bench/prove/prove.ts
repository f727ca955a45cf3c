/** npm run prove: runs the evidence, and writes a dated report. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { showProgress } from '../../chaos/faults/progress.ts'
import { publishedSoakFile, soakFile } from '../../chaos/soak/soak-report.ts'
import { repository } from '../../support/built-program.ts'
import { describeRevision } from '../../support/describe-revision.ts'
import { describeMachine } from './machine.ts'
import { readOptions, usage, type ProveOptions } from './options.ts'
import { parts } from './parts/index.ts'
import { formatReport, minutesOf, parseReport, type Chapter, type Report } from './report.ts'
import { quoteReport, quotingFiles } from './quote-report.ts'
import { runLogged, type Command } from './run-logged.ts'
import type { Part } from './part.ts'

const progress = showProgress(process.stderr)
// What is running ends with it, and removes its servers.
process.once('SIGTERM', () => process.exit(143))
process.once('SIGINT', () => process.exit(130))
process.exit(await main(process.argv.slice(2)))

async function main(args: string[]): Promise<number> {
  let options: ProveOptions | 'help'
  try {
    options = readOptions(args)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error('npm run prove -- --help lists what there is.')
    return 2
  }
  if (options === 'help') {
    console.log(usage())
    return 0
  }
  const startedAt = new Date().toISOString()
  const folder =
    options.resumed ??
    options.folder ??
    join(repository, 'proof', startedAt.slice(0, 16).replace(':', '-'))
  const report = options.resumed ? readReport(folder) : await begin(options, folder, startedAt)
  if (!report) return 2
  await write(report, options, folder)
  progress.end()
  const problems = report.chapters.flatMap((chapter) => chapter.problems)
  for (const problem of problems) console.error(problem)
  console.log(`${join(folder, 'report.md')}, in ${Math.ceil(minutesOf(report))} minutes.`)
  if (options.isPublished) publish(report, folder)
  return problems.length === 0 ? 0 : 1
}

/** Makes the folder of a new report. */
async function begin(
  { seed, isQuick }: ProveOptions,
  folder: string,
  startedAt: string,
): Promise<Report | undefined> {
  mkdirSync(join(folder, '..'), { recursive: true })
  try {
    mkdirSync(folder)
  } catch {
    console.error(`${folder} cannot be created, or exists. Choose another with --output.`)
    return undefined
  }
  mkdirSync(join(folder, 'logs'))
  return { seed, isQuick, startedAt, machine: await describeMachine(), chapters: [] }
}

function readReport(folder: string): Report | undefined {
  try {
    return parseReport(readFileSync(join(folder, 'report.json'), 'utf8'))
  } catch {
    console.error(`There is no report.json in ${folder}. Use a folder that a run has printed.`)
    return undefined
  }
}

/** Runs the chapters, and saves after each, so that an interrupted run leaves those before. */
async function write(report: Report, options: ProveOptions, folder: string): Promise<void> {
  const isMissing = ({ name }: Part) => report.chapters.every((chapter) => chapter.name !== name)
  for (const part of options.parts ?? parts.filter(isMissing)) {
    const chapter = await runPart(part, report, folder)
    if (options.resumed) {
      chapter.added = { at: new Date().toISOString(), revision: describeRevision() }
    }
    const others = report.chapters.filter(({ name }) => name !== part.name)
    const placeOf = ({ name }: Chapter) => parts.findIndex((each) => each.name === name)
    report.chapters = [...others, chapter].toSorted((a, b) => placeOf(a) - placeOf(b))
    writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
    writeFileSync(join(folder, 'report.md'), formatReport(report, '.'))
  }
}

async function runPart(part: Part, { seed, isQuick }: Report, folder: string): Promise<Chapter> {
  const { name: partName, title, intro } = part
  const commands: Omit<Command, 'stdout'>[] = []
  const startedAt = performance.now()
  const say = (line: string) => progress.say(`${partName}: ${line}`)
  const run = async (name: string, args: readonly string[]) => {
    say(name)
    const logPath = join(folder, 'logs', `${name}.txt`)
    const command = await runLogged({ name, args, logPath, say })
    const { stdout: _, ...rest } = command
    commands.push(rest)
    return command
  }
  const section = await part.run({ seed, isQuick, say, run }).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error)
    return { problems: [problem], body: `It did not finish: ${problem}`, data: null }
  })
  const minutes = (performance.now() - startedAt) / 60_000
  return { name: partName, title, intro, ...section, minutes, commands }
}

/**
 * Makes a report the page of the documentation, with its data and its logs beside it, and writes its
 * figures into the texts that quote it.
 */
function publish(report: Report, folder: string): void {
  const target = join(repository, 'docs/proof')
  mkdirSync(target, { recursive: true })
  rmSync(join(target, 'logs'), { recursive: true, force: true })
  mkdirSync(join(target, 'logs'), { recursive: true })
  const logs = readdirSync(join(folder, 'logs')).map((name) => join('logs', name))
  for (const file of ['report.json', ...logs]) {
    writeFileSync(join(target, file), withoutPaths(readFileSync(join(folder, file), 'utf8')))
  }
  if (existsSync(soakFile)) cpSync(soakFile, publishedSoakFile)
  writeFileSync(`${target}.md`, formatReport(report, 'proof'))
  for (const name of quotingFiles) {
    const file = join(repository, name)
    writeFileSync(file, quoteReport(readFileSync(file, 'utf8'), report))
  }
  spawnSync('npx', ['oxfmt', `${target}.md`, target], { cwd: repository, stdio: 'inherit' })
}

/** A text without the folders of this machine. */
function withoutPaths(text: string): string {
  return text.replaceAll(repository, '').replaceAll(tmpdir(), '$TMPDIR')
}
