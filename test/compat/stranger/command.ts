import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A command with its child processes, which runs until it is terminated. */
export interface Command {
  /** Its whole output. */
  readonly printed: string
  /** Waits for a text. Throws with the whole output if it ends before. */
  until(text: string): Promise<void>
  /**
   * Sends a signal to it and its child processes, like a terminal, and waits until all have ended.
   */
  end(signal: NodeJS.Signals): Promise<number | string>
}

export interface CommandOptions {
  cwd: string
  env: NodeJS.ProcessEnv
}

export function startCommand(
  command: string,
  args: string[],
  { cwd, env }: CommandOptions,
): Command {
  // A process group of its own, so that a signal reaches all of it and nothing else.
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let hasEnded = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      child.emit('printed')
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    hasEnded = true
    child.emit('printed')
    return (code ?? signal) as number | string
  })

  return {
    get printed() {
      return printed
    },
    async until(text) {
      while (!printed.includes(text)) {
        if (hasEnded) throw new Error(`It ended before it printed ${text}:\n${printed}`)
        await once(child, 'printed')
      }
    },
    end(signal) {
      if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, signal)
      return ended
    },
  }
}
