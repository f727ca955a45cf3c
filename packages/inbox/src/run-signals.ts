/** The signals of the runs that are under way in one worker. */
export interface RunSignals {
  /** A signal for one run, aborted with the signal of its job too. */
  begin(jobSignal: AbortSignal | undefined): RunSignal
  /** Aborts all that are under way, and all that begin from now on. */
  abort(): void
}

export interface RunSignal {
  signal: AbortSignal
  /** Lets go of it. */
  end(): void
}

// Not AbortSignal.any: on Node 20 a signal that lives long keeps every one that was made from it.
export function createRunSignals(): RunSignals {
  const runs = new Set<AbortController>()
  let isAborted = false

  return {
    begin(jobSignal) {
      const run = new AbortController()
      const follow = () => run.abort(jobSignal?.reason)
      if (isAborted || jobSignal?.aborted) run.abort(jobSignal?.reason ?? stopping())
      jobSignal?.addEventListener('abort', follow, { once: true })
      runs.add(run)
      return {
        signal: run.signal,
        end() {
          jobSignal?.removeEventListener('abort', follow)
          runs.delete(run)
        },
      }
    },
    abort() {
      isAborted = true
      for (const run of runs) run.abort(stopping())
    },
  }
}

function stopping(): DOMException {
  return new DOMException('The inbox is stopping.', 'AbortError')
}
