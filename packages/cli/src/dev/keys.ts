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

/**
 * The interval at which the mode of the terminal is set again. Every Node process that writes to the
 * terminal restores, at its end, the mode from its start, for example when a watcher restarts the app.
 */
const againMs = 500

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
  let isRaw = false
  setRaw(true)
  // Node sets a mode only if it differs from the one that it has set before.
  const again = setInterval(() => {
    if (!isRaw) return
    setRaw(false)
    setRaw(true)
  }, againMs)
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
    } else void runKey(keys.find(({ key }) => key === char.toLowerCase()))
  }

  async function runKey(pressed: Key | undefined): Promise<void> {
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
    // Otherwise the terminal would stop this process.
    isRaw = false
    if (!isInForeground()) return
    setRaw(true)
    terminal.resume()
  }

  function release(): void {
    clearInterval(again)
    terminal.off('data', onData)
    process.off('SIGCONT', onContinue)
    setRaw(false)
    terminal.pause()
  }

  function setRaw(wanted: boolean): void {
    isRaw = wanted
    terminal.setRawMode?.(wanted)
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
