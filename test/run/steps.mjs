// Runs the steps of a command, quietly if they succeed.
import { spawn } from 'node:child_process'
import { root } from './install.mjs'

/** How much of a failed step's output is repeated at the end, in characters. */
const tailLength = 6000

/**
 * Runs every step, even after one has failed, and returns the exit code. Steps in a nested array
 * run concurrently: they wait for the network or for other programs. A step's output is shown only
 * if it fails, or if the step asks for it. A step that runs alone then streams it. The end of a
 * failed step's output is repeated at the end, where the reader of a long log looks first.
 */
export async function runSteps(steps) {
  const failed = []
  for (const group of steps.map((step) => [step].flat())) {
    const isAlone = group.length === 1
    await Promise.all(group.map(async (step) => note(step, await runAndSay(step, isAlone))))
  }
  for (const { name, output, isShown } of failed) {
    if (isShown) console.log(`\n${name} ended with:\n${output.slice(-tailLength)}`)
  }
  if (failed.length > 0) console.log(`Failed: ${failed.map(({ name }) => name).join(', ')}`)
  return failed.length === 0 ? 0 : 1

  function note(step, { code, output }) {
    if (code !== 0) failed.push({ ...step, output })
  }
}

async function runAndSay(step, isAlone) {
  const startedAt = Date.now()
  const isStreamed = isAlone && step.isShown
  process.stdout.write(`${step.name} …${isAlone && !isStreamed ? '' : '\n'}`)
  const result = await runStep(step, isStreamed)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  const isWell = result.code === 0
  if (!isStreamed && (step.isShown || !isWell)) console.log(`\n${result.output}`)
  console.log(
    `${isAlone && !isStreamed ? '' : step.name} ${isWell ? 'ok' : 'FAILED'} (${seconds} s)`,
  )
  return result
}

function runStep({ command, args, env = {} }, isStreamed = false) {
  return new Promise((resolve) => {
    const colors = isStreamed && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...colors, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk
        if (isStreamed) process.stdout.write(chunk)
      })
    }
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
