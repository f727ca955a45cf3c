// Runs the steps of a command, quietly if they succeed.
import { runCommand } from './run-command.mjs'
import { repeatAlone, runTests } from './run-tests.mjs'

/** How much of a failed step's output is repeated at the end, in characters. */
const tailLength = 6000

/**
 * Runs every step, even after one has failed, and returns the exit code. A step is a `command` with
 * `args`, or `tests`, which are arguments of vitest. Neighbours with the same `beside` run
 * concurrently. A step's output is shown only if it fails, or if the step asks for it. A step that
 * runs alone then streams it.
 *
 * A test file that failed runs once more after its group, alone. If it passes, it is flaky: the last
 * lines name it, and the exit code does not change. The end of a failed step's output is repeated at
 * the end, where the reader of a long log looks first.
 */
export async function runSteps(steps) {
  const failed = []
  const flaky = []
  for (const group of inGroups(steps)) {
    const isAlone = group.length === 1
    const run = async (step) => ({ step, ...(await runAndSay(step, isAlone)) })
    for (const result of await Promise.all(group.map(run))) {
      if (result.code === 0) continue
      const repeated = result.failed ? await repeatAlone(result.step, result) : []
      flaky.push(...repeated.filter(({ isFlaky }) => isFlaky))
      const isFailed = repeated.length === 0 || repeated.some(({ isFlaky }) => !isFlaky)
      if (isFailed) failed.push(result)
    }
  }
  for (const { step, output } of failed) {
    if (step.isShown) console.log(`\n${step.name} ended with:\n${output.slice(-tailLength)}`)
  }
  for (const file of flaky) sayFlaky(file)
  if (failed.length > 0) console.log(`Failed: ${failed.map(({ step }) => step.name).join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

function inGroups(steps) {
  const groups = []
  for (const step of steps) {
    const last = groups.at(-1)
    const belongs = step.beside !== undefined && last?.[0].beside === step.beside
    if (belongs) last.push(step)
    else groups.push([step])
  }
  return groups
}

async function runAndSay(step, isAlone) {
  const startedAt = Date.now()
  const isStreamed = isAlone && step.isShown
  process.stdout.write(`${step.name} …${isAlone && !isStreamed ? '' : '\n'}`)
  const show = isStreamed ? (text) => process.stdout.write(text) : undefined
  const result = await runStep(step, show)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  const isWell = result.code === 0
  if (!isStreamed && (step.isShown || !isWell)) console.log(`\n${result.output}`)
  console.log(
    `${isAlone && !isStreamed ? '' : step.name} ${isWell ? 'ok' : 'FAILED'} (${seconds} s)`,
  )
  return result
}

async function runStep({ env, ...step }, show) {
  const colors = show && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
  const run = step.tests ? runTests : runCommand
  return await run({ ...step, env: { ...colors, ...env } }, show)
}

function sayFlaky({ path, titles, first, second }) {
  console.log(`FLAKY ${path}: it failed, and passed alone. Fix the cause.`)
  for (const title of titles) console.log(`  ${title}`)
  console.log(`  Both outputs: ${first}, ${second}`)
}
