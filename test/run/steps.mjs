// Runs the steps of a command one after the other, quietly where they are well.
import { spawn } from 'node:child_process'
import { root } from './install.mjs'

/** As much of what a failed step printed as is said again at the end, in characters. */
const tailLength = 6000

/**
 * Runs every step, even after one has failed, and gives the exit code. A step's output is shown only
 * where it fails, unless it is said to be shown as it comes; what failed steps said last is said
 * once more at the end, where the reader of a long log looks first.
 */
export async function runSteps(steps) {
  const failed = []
  for (const step of steps) {
    const startedAt = Date.now()
    process.stdout.write(`${step.name} …${step.isShown ? '\n' : ''}`)
    const { code, output } = await runStep(step)
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
    console.log(`${step.isShown ? step.name : ''} ${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)`)
    if (code === 0) continue
    failed.push({ ...step, output })
    if (!step.isShown) console.log(output)
  }
  for (const { name, output, isShown } of failed) {
    if (isShown) console.log(`\n${name} ended with:\n${output.slice(-tailLength)}`)
  }
  if (failed.length > 0) console.log(`Failed: ${failed.map(({ name }) => name).join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

function runStep({ command, args, env = {}, isShown = false }) {
  return new Promise((resolve) => {
    const colors = isShown && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...colors, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk
        if (isShown) process.stdout.write(chunk)
      })
    }
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
