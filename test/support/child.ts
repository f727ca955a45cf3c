import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { builtProgram } from './built-program.ts'

/** A program of this repository in its own process, as built for the tests. */
export interface Child {
  readonly pid: number
  /** The next line that it prints. Throws with its errors if it ends before that. */
  nextLine(): Promise<string>
  send(line: string): void
  kill(signal: NodeJS.Signals): void
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

export function startChild(program: URL | string, args: string[] = [], cwd?: string): Child {
  const path = builtProgram(program)
  const child = spawn(process.execPath, [path, ...args], { stdio: 'pipe', cwd })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  child.stdin.on('error', () => undefined)

  return {
    pid: child.pid ?? 0,
    async nextLine() {
      const { done, value } = await lines.next()
      if (done) throw new Error(`${path} ended before it printed a line:\n${errors}`)
      return value
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code, signal]) => code ?? signal),
  }
}
