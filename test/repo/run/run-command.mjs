import { spawn } from 'node:child_process'
import { root } from './install.mjs'

/**
 * Runs a command to its end, and resolves with its exit code and output. `show` gets the output as
 * it comes.
 */
export function runCommand({ command, args, env = {} }, show = () => {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk
        show(chunk)
      })
    }
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}\n` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
