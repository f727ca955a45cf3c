// Runs suites of slow tests: all of them, or those whose names are arguments.
import { build } from './build.mjs'
import { ensureAllInstalled, ensureInstalled, requireNode } from './install.mjs'
import { runSteps } from './steps.mjs'
import { toStep } from './suites.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

/** Sets the exit code: 1 if a suite failed. */
export async function runSuites(command, suites) {
  const chosen = chooseSuites(command, suites, process.argv.slice(2))
  requireNode()
  await ensureInstalled()
  await build()
  const needs = chosen.map(([, suite]) => suite.needs ?? {})
  await ensureAllInstalled(Object.assign({}, ...needs))
  const inMemory = temporaryFolder()
  process.exitCode = await runSteps(chosen.map((suite) => toStep(suite, inMemory)))
}

/** Ends the process after `--help`, and with exit code 2 if there is no suite of a name. */
function chooseSuites(command, suites, names) {
  if (names.includes('--help')) {
    const rows = Object.entries(suites).map(([name, { title }]) => `  ${name.padEnd(18)} ${title}`)
    console.log(`npm run ${command} [-- <suite> ...]\n\n${rows.join('\n')}`)
    process.exit(0)
  }
  const unknown = names.filter((name) => !Object.hasOwn(suites, name))
  if (unknown.length > 0) {
    const all = Object.keys(suites).join(', ')
    console.error(`There is no suite ${unknown.join(', ')}. Choose from: ${all}.`)
    process.exit(2)
  }
  return Object.entries(suites).filter(([name]) => names.length === 0 || names.includes(name))
}
