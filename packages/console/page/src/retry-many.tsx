import { useEffect, useRef, useState } from 'preact/hooks'
import { act, retry, type Query } from './api.ts'
import { Dialog } from './dialog.tsx'
import { notify } from './notices.tsx'
import { formatNumber, formatPlural } from './numbers.ts'

export interface RetryManyProps {
  filter: Query
  onDone: () => void
}

/** Retries all that a filter finds: counts them, asks once, and says how far it is. */
export function RetryMany({ filter, onDone }: RetryManyProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button onClick={() => setIsOpen(true)}>Retry all …</button>
      {isOpen && (
        <RetryDialog
          // As it is now: the time it is counted back from goes on.
          filter={filter}
          onClose={() => {
            setIsOpen(false)
            onDone()
          }}
        />
      )}
    </>
  )
}

function RetryDialog({ filter, onClose }: { filter: Query; onClose: () => void }) {
  const [kept] = useState(filter)
  const [count, setCount] = useState<number | null>(null)
  const [retried, setRetried] = useState<number | null>(null)
  const [isGoing, setIsGoing] = useState(false)
  const [problem, setProblem] = useState('')
  const stopping = useRef(new AbortController())

  useEffect(() => {
    act<{ count: number }>('countretriable', { filter: kept }).then(
      (found) => setCount(found.count),
      (error: Error) => setProblem(error.message),
    )
    return () => stopping.current.abort()
  }, [kept])

  const go = async () => {
    setIsGoing(true)
    setProblem('')
    setRetried(0)
    const { signal } = stopping.current
    try {
      const all = await retry({ filter: kept }, setRetried, signal)
      notify(`${formatPlural(all, 'entry waits', 'entries wait')} for a handler again.`)
      onClose()
    } catch (error) {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setIsGoing(false)
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
      <div class="buttons">
        <button onClick={onClose}>{isGoing ? 'Stop' : 'Cancel'}</button>
        {!isGoing && (
          <button
            class="primary"
            disabled={count === null || count === 0}
            onClick={() => void go()}
          >
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
