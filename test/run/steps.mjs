// Runs the steps of a command one after the other, quietly where they are well.
import { spawn } from 'node:child_process'
import { root } from './install.mjs'

/**
 * Runs every step, even after one has failed, and gives the exit code. A step's output is shown only
 * where it fails, unless it is said to be shown as it comes.
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
    failed.push(step.name)
    if (!step.isShown) console.log(output)
  }
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

function runStep({ command, args, env = {}, isShown = false }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
    })
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
