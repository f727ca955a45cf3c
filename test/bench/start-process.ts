import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { builtProgram } from '../support/built-program.ts'

/** A program of this folder in its own process. */
export interface BenchProcess {
  /** Undefined if it could not be started. */
  pid: number | undefined
  /** The next line that it prints. */
  nextLine(): Promise<string>
  send(line: string): void
  kill(): void
}

const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Starts it as built, with the built packages, because the benchmarks measure those. */
export function startProcess(program: string, args: readonly string[]): BenchProcess {
  const path = builtProgram(new URL(program, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  running.add(child)
  child.once('exit', () => running.delete(child))
  const ended = once(child, 'exit').then(() => undefined)
  return {
    pid: child.pid,
    async nextLine() {
      const line = await Promise.race([lines.next(), ended])
      if (typeof line?.value === 'string') return line.value
      throw new Error(`${program} ended before it printed a line.`)
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    kill: () => void child.kill('SIGKILL'),
  }
}
