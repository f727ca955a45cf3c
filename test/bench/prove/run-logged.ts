import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { repository } from '../../support/built-program.ts'

/** A command that has ended. */
export interface Command {
  /** The name of its log. */
  name: string
  /** As somebody would type it. */
  text: string
  exitCode: number
  seconds: number
  stdout: string
}

export interface LoggedOptions {
  name: string
  args: readonly string[]
  logPath: string
  /** Called with each line that it prints as progress. */
  say(line: string): void
}

/** Runs a program of Node to its end, and writes everything that it prints to a log. */
export async function runLogged({ name, args, logPath, say }: LoggedOptions): Promise<Command> {
  const text = ['node', ...args].join(' ')
  const log = createWriteStream(logPath)
  log.write(`$ ${text}\n`)
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = () => void child.kill('SIGTERM')
  process.once('exit', stop)
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part
    log.write(part)
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.write(`${line}\n`)
    say(line)
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  process.off('exit', stop)
  const seconds = (performance.now() - startedAt) / 1_000
  log.end(`\n# ended with ${code ?? signal} after ${seconds.toFixed(1)} s\n`)
  await finished(log)
  return { name, text, exitCode: code ?? 1, seconds, stdout }
}

/** What a command printed as JSON. Throws with the name of its log if it printed none. */
export function readJson<Data>({ name, stdout, exitCode }: Command): Data {
  try {
    return JSON.parse(stdout) as Data
  } catch (cause) {
    throw new Error(`${name} ended with ${exitCode} and printed no JSON. Read logs/${name}.txt.`, {
      cause,
    })
  }
}
