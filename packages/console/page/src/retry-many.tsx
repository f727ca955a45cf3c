import { Dialog, formatNumber, formatPlural, messageOf, useTask } from '@feed-receiver/page-kit'
import type { Query } from '@feed-receiver/page-kit'
import { useEffect, useRef, useState } from 'preact/hooks'
import { act, retry } from './api.ts'

/** Retries all that a filter finds: counts them, asks once, and says how far it is. */
export function RetryMany({ filter }: { filter: Query }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button onClick={() => setIsOpen(true)}>Retry all …</button>
      {isOpen && <RetryDialog filter={filter} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function RetryDialog({ filter, onClose }: { filter: Query; onClose: () => void }) {
  // As it was when the dialog opened: the time it is counted back from goes on.
  const [kept] = useState(filter)
  const [count, setCount] = useState<number | null>(null)
  const [retried, setRetried] = useState<number | null>(null)
  const { isBusy, problem, setProblem, run } = useTask()
  const stopping = useRef(new AbortController())

  useEffect(() => {
    act<{ count: number }>('countretriable', { filter: kept }).then(
      (found) => setCount(found.count),
      (error: unknown) => setProblem(messageOf(error)),
    )
    return () => stopping.current.abort()
  }, [kept])

  const go = async () => {
    setRetried(0)
    const { signal } = stopping.current
    try {
      const all = await retry({ filter: kept }, setRetried, signal)
      onClose()
      return `${formatPlural(all, 'entry waits', 'entries wait')} for a handler again.`
    } catch (error) {
      if (!signal.aborted) throw error
      return null
    }
  }

  return (
    <Dialog title={titleOf(count)} onClose={onClose}>
      <p>
        Each is handed to its handler again, as if it came now. It is kept that you asked for it.
        Entries whose bytes retention has emptied stay as they are.
      </p>
      {retried !== null && (
        <p class="progress">
          <progress aria-label="Retried" value={retried} max={Math.max(1, count ?? 1)} />
          <span role="status">
            {formatNumber(retried)} of {formatNumber(count ?? 0)}
          </span>
        </p>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="tools">
        <button onClick={onClose}>{isBusy ? 'Stop' : 'Cancel'}</button>
        {!isBusy && (
          <button class="primary" disabled={!count} onClick={() => void run(go)}>
            Retry {count === null ? '' : formatNumber(count)}
          </button>
        )}
      </div>
    </Dialog>
  )
}

function titleOf(count: number | null): string {
  if (count === null) return 'Counting …'
  return count === 0 ? 'Nothing to retry' : `Retry ${formatPlural(count, 'entry', 'entries')}?`
}
