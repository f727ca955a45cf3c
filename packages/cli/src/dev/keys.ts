import { spawnSync } from 'node:child_process'
import type { Context } from '../command.ts'

/** A key of `dev` in the terminal. */
export interface Key {
  key: string
  /** What it does, in a few words. */
  does: string
  run: () => Promise<void> | void
}

interface TerminalInput extends NodeJS.ReadableStream {
  isTTY?: boolean
  setRawMode?: (isRaw: boolean) => unknown
}

const [interrupt, endOfInput, suspend] = ['\u0003', '\u0004', '\u001A']

/**
 * Runs a function for each key that somebody presses in the terminal, until it is released.
 * Undefined without a terminal, with --json, in CI, and in the background of a shell.
 */
export function listenForKeys(
  keys: readonly Key[],
  { input, out, env }: Pick<Context, 'input' | 'out' | 'env'>,
): { release(): void } | undefined {
  const terminal: TerminalInput = input
  if (!terminal.isTTY || !terminal.setRawMode || out.isJson || env['CI'] || !isInForeground()) {
    return undefined
  }
  const busy = new Set<Key>()
  setRaw(true)
  terminal.on('data', onData)
  process.on('SIGCONT', onContinue)
  return { release }

  function onData(chunk: string | Uint8Array): void {
    // Several keys may arrive at once, but not half of one: other characters mean nothing here.
    for (const char of String(chunk)) press(char)
  }

  function press(char: string): void {
    if (char === interrupt || char === endOfInput) {
      // First, so that a second Ctrl-C ends the process as in any terminal.
      release()
      // Not a signal of the system, which would kill the process on Windows.
      process.emit('SIGINT')
    } else if (char === suspend && process.platform !== 'win32') {
      setRaw(false)
      terminal.pause()
      process.kill(process.pid, 'SIGTSTP')
    } else void run(keys.find(({ key }) => key === char.toLowerCase()))
  }

  async function run(pressed: Key | undefined): Promise<void> {
    // A key held down would do it again and again.
    if (!pressed || busy.has(pressed)) return
    busy.add(pressed)
    try {
      await pressed.run()
    } catch (error) {
      out.warn(error)
    } finally {
      busy.delete(pressed)
    }
  }

  function onContinue(): void {
    if (!isInForeground()) return
    setRaw(true)
    terminal.resume()
  }

  function release(): void {
    terminal.off('data', onData)
    process.off('SIGCONT', onContinue)
    setRaw(false)
    terminal.pause()
  }

  function setRaw(isRaw: boolean): void {
    terminal.setRawMode?.(isRaw)
  }
}

/** The terminal stops a process in the background that changes its mode or reads from it. */
function isInForeground(): boolean {
  if (process.platform === 'win32') return true
  const asked = ['-o', 'pgid=', '-o', 'tpgid=', '-p', String(process.pid)]
  const { stdout } = spawnSync('ps', asked, { encoding: 'utf8' })
  const [group, foreground] = (stdout ?? '').trim().split(/\s+/)
  return foreground === undefined || group === foreground
}
