import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ToolRun {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a command of test/support/tools/mcp to its end, on the current Node. */
export function runTool(name: string, args: string[]): Promise<ToolRun> {
  const folder = new URL('../../support/tools/mcp/node_modules/.bin/', import.meta.url)
  const program = fileURLToPath(new URL(name, folder))
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
