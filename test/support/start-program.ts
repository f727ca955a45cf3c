import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { builtProgram, shortLived } from './built-program.ts'

/** A program in its own process. It is killed when the test file or this process ends. */
export interface RunningProgram {
  /** 0 if it could not be started. */
  readonly pid: number
  /** Everything that it has printed to stdout and stderr. */
  readonly printed: string
  /** Everything that it has printed to stderr. */
  readonly errors: string
  /**
   * The next line of stdout, or the next one with this text. Throws with everything that it has
   * printed if it ends before that.
   */
  nextLine(text?: string): Promise<string>
  /** Waits until it has printed this text, to stdout or stderr. Throws if it ends before that. */
  untilPrinted(text: string): Promise<void>
  send(line: string): void
  closeInput(): void
  /** @default 'SIGKILL' */
  kill(signal?: NodeJS.Signals): void
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Sends the signal, and waits for the end. @default 'SIGTERM' */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

export interface ProgramOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  /** Whether it has an input. Otherwise it reads nothing. */
  hasInput?: boolean
  /** Whether its stderr is that of this process, and not in `errors`. @default false */
  showsErrors?: boolean
  /** Whether signals also reach its child processes, as from a terminal. @default false */
  isGroup?: boolean
}

const running = new Set<() => void>()
process.once('exit', killPrograms)

/** Kills every program of this process that still runs. */
export function killPrograms(): void {
  for (const kill of running) kill()
}

/** Starts a program of this repository, as built for the tests. It has an input by default. */
export function startProgram(
  source: URL | string,
  args: readonly string[] = [],
  options: ProgramOptions = {},
): RunningProgram {
  const command = [...shortLived, builtProgram(source), ...args]
  return startCommand(process.execPath, command, { hasInput: true, ...options })
}

/** Starts any command. It has no input by default. */
export function startCommand(
  command: string,
  args: readonly string[],
  { hasInput = false, showsErrors = false, isGroup = false, ...options }: ProgramOptions = {},
): RunningProgram {
  const child = spawn(command, args, {
    ...options,
    detached: isGroup,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', showsErrors ? 'inherit' : 'pipe'],
  })
  const stdout = child.stdout ?? Readable.from([])
  const lines: string[] = []
  let [printed, errors, linesRead] = ['', '', 0]
  let hasEnded = false
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    if (!hasEnded) signalTo(child, signal, isGroup)
  }
  running.add(kill)
  stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    child.emit('printed')
  })
  createInterface({ input: stdout }).on('line', (line) => {
    lines.push(line)
    child.emit('printed')
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    errors += text
    child.emit('printed')
  })
  child.stdin?.on('error', () => undefined)
  // The command may be missing.
  child.on('error', (error) => (errors += error.message))
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(kill)
      hasEnded = true
      child.emit('printed')
      resolve(code ?? signal ?? -1)
    })
  })

  return {
    pid: child.pid ?? 0,
    get printed() {
      return printed
    },
    get errors() {
      return errors
    },
    async nextLine(text = '') {
      for (;;) {
        const line = lines[linesRead]
        if (line === undefined) await more(text === '' ? 'a line' : text)
        else {
          linesRead += 1
          if (line.includes(text)) return line
        }
      }
    },
    async untilPrinted(text) {
      while (!printed.includes(text)) await more(text)
    },
    send: (line) => void child.stdin?.write(`${line}\n`),
    closeInput: () => void child.stdin?.end(),
    kill,
    ended,
    stop(signal = 'SIGTERM') {
      kill(signal)
      return ended
    },
  }

  async function more(wanted: string): Promise<void> {
    if (!hasEnded) await once(child, 'printed')
    else
      throw new Error(
        `${command} ${args[0] ?? ''} ended before it printed ${wanted}:\n${printed || errors}`,
      )
  }
}

function signalTo(child: ChildProcess, signal: NodeJS.Signals, isGroup: boolean): void {
  if (!isGroup || child.pid === undefined) return void child.kill(signal)
  try {
    process.kill(-child.pid, signal)
  } catch {
    // All of the group have ended, and only their last output is still to come.
  }
}
