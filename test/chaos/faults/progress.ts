/** Shows progress: on a terminal in one line, elsewhere at intervals in a line each. */
export interface Progress {
  say(line: string): void
  /** Restores the terminal. */
  end(): void
}

const quietMs = 2_000

export function showProgress(stream: NodeJS.WriteStream): Progress {
  let saidAt = 0
  let said = ''
  return {
    say(line) {
      if (line === said) return
      said = line
      const now = performance.now()
      if (stream.isTTY) {
        stream.write(`\r\x1b[K${line.slice(0, stream.columns - 1)}`)
      } else if (now - saidAt > quietMs) {
        saidAt = now
        stream.write(`${line}\n`)
      }
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
