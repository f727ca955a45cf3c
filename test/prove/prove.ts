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
import { showProgress } from '../faults/progress.ts'
import { publishedSoakFile, soakFile } from '../soak/soak-report.ts'
import { repository } from '../support/built-program.ts'
import { describeMachine } from './machine.ts'
import { readOptions, usage, type ProveOptions } from './options.ts'
import { formatReport, type Chapter, type Report } from './report.ts'
import { runCommand, type Command } from './run-command.ts'
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
    options.folder ?? join(repository, 'proof', startedAt.slice(0, 16).replace(':', '-'))
  mkdirSync(join(folder, '..'), { recursive: true })
  try {
    mkdirSync(folder)
  } catch {
    console.error(`${folder} cannot be created, or exists. Choose another with --output.`)
    return 2
  }
  mkdirSync(join(folder, 'logs'))
  const report = await write(options, folder, startedAt)
  progress.end()
  const problems = report.chapters.flatMap((chapter) => chapter.problems)
  for (const problem of problems) console.error(problem)
  console.log(`${join(folder, 'report.md')}, in ${Math.ceil(report.minutes)} minutes.`)
  if (options.isPublished) publish(report, folder)
  return problems.length === 0 ? 0 : 1
}

async function write(options: ProveOptions, folder: string, startedAt: string): Promise<Report> {
  const { seed, isQuick, parts } = options
  const from = performance.now()
  const machine = await describeMachine()
  const chapters: Chapter[] = []
  const save = (): Report => {
    const minutes = (performance.now() - from) / 60_000
    const report = { seed, isQuick, startedAt, minutes, machine, chapters }
    writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
    writeFileSync(join(folder, 'report.md'), formatReport(report, '.'))
    return report
  }
  // After each chapter, so that an interrupted run leaves the ones before.
  for (const part of parts) {
    chapters.push(await runPart(part, options, folder))
    save()
  }
  return save()
}

async function runPart(
  part: Part,
  { seed, isQuick }: ProveOptions,
  folder: string,
): Promise<Chapter> {
  const { name: partName, title, intro } = part
  const commands: Omit<Command, 'stdout'>[] = []
  const startedAt = performance.now()
  const say = (line: string) => progress.say(`${partName}: ${line}`)
  const run = async (name: string, args: readonly string[]) => {
    say(name)
    const logPath = join(folder, 'logs', `${name}.txt`)
    const command = await runCommand({ name, args, logPath, say })
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

/** Makes a report the page of the documentation, with its data and its logs beside it. */
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
  spawnSync('npx', ['oxfmt', `${target}.md`, target], { cwd: repository, stdio: 'inherit' })
}

/** A text without the folders of this machine. */
function withoutPaths(text: string): string {
  return text.replaceAll(`${repository}/`, '').replaceAll(tmpdir(), '$TMPDIR')
}
