// Runs vitest. A file that failed runs once more, alone: a flaky test is a result of its own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './install.mjs'
import { runCommand } from './run-command.mjs'

const reporter = fileURLToPath(new URL('failed-files.mjs', import.meta.url))
const startedAt = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
const results = join(root, 'test/.flaky', `${startedAt}-${process.pid}`)

// More failures than this have one cause, which is no accident.
const mostToRepeat = 10

// The form of a signing secret and of an API key of the feed, from any source.
const secretForm = /feed_(?:whsec|live|session)_[\w-]{12,}/i

/**
 * Runs vitest with these arguments. Resolves with the exit code, the output, and the files that
 * failed. The exit code is 1 if the output of a run shows a secret or a key.
 */
export async function runTests({ tests, env = {} }, show) {
  const folder = mkdtempSync(join(tmpdir(), 'feed-receiver-failed-'))
  const report = join(folder, 'failed.json')
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests, ...reportersFor(tests)]
  const run = { command: 'node', args, env: { ...env, FAILED_FILES: report } }
  const { code, output } = await runCommand(run, show)
  const { failed, unknownErrors } = readReport(report)
  rmSync(folder, { recursive: true })
  const canRepeat = failed.length > 0 && failed.length <= mostToRepeat && unknownErrors === 0
  if (!showsSecret(output, code)) return { code, output, failed: canRepeat ? failed : [] }
  const warning = 'A secret or a key was printed above: see which test prints it, and why.\n'
  show?.(warning)
  return { code: 1, output: output + warning, failed: [] }
}

/**
 * Runs each failed file of a step again, with nothing beside it. Resolves with those that passed
 * and those that failed again, each with the paths of both outputs.
 */
export async function repeatAlone({ tests, env }, { output, failed }) {
  const { parseCLI } = await import('vitest/node')
  const { filter } = parseCLI(['vitest', 'run', ...tests])
  const options = tests.filter((arg) => !filter.includes(arg))
  const repeated = []
  for (const { file, titles } of failed) {
    const path = relative(root, file)
    console.log(`\n${path} failed. It runs once more, alone …`)
    const alone = [...options, file, '--maxWorkers=1', '--no-file-parallelism']
    const second = await runTests({ tests: alone, env }, (text) => process.stdout.write(text))
    repeated.push({
      path,
      titles,
      isFlaky: second.code === 0,
      first: save(path, 'first', output),
      second: save(path, 'alone', second.output),
    })
  }
  return repeated
}

function reportersFor(tests) {
  const isChosen = tests.some((arg) => arg.startsWith('--reporter'))
  const forPeople = process.env.GITHUB_ACTIONS ? ['default', 'github-actions'] : ['default']
  return [...(isChosen ? [] : forPeople), reporter].map((name) => `--reporter=${name}`)
}

/** Without a report, vitest ended before it ran a test. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { failed: [], unknownErrors: 1 }
  }
}

/** The list of failed tests shows their code, which may contain a secret of its own. */
function showsSecret(output, code) {
  const list = code === 0 ? -1 : output.search(/ Failed (?:Tests|Suites) /)
  return secretForm.test(list < 0 ? output : output.slice(0, list))
}

function save(path, run, output) {
  mkdirSync(results, { recursive: true })
  const saved = join(results, `${path.replaceAll('/', '-')}.${run}.txt`)
  writeFileSync(saved, output)
  return relative(root, saved)
}
