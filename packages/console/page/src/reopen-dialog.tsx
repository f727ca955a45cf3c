import { Dialog, formatNumber, formatPlural, messageOf, useTask } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface ReopenDialogProps {
  /** The action on the entries. */
  verb: 'Retry' | 'Reprocess'
  /** Called once, to count the entries. */
  count: () => Promise<number>
  /** Runs the action, and resolves to the number of entries. */
  reopen: (onProgress: (count: number) => void, signal: AbortSignal) => Promise<number>
  onClose: () => void
  children: ComponentChildren
}

/** Counts entries, asks once for confirmation, requeues them, and shows progress. */
export function ReopenDialog({ verb, count: ask, reopen, onClose, children }: ReopenDialogProps) {
  const [count, setCount] = useState<number | null>(null)
  const [reopened, setReopened] = useState<number | null>(null)
  const { isBusy, problem, setProblem, run } = useTask()
  const stopping = useRef(new AbortController())

  useEffect(() => {
    ask().then(setCount, (error: unknown) => setProblem(messageOf(error)))
    return () => stopping.current.abort()
  }, [])

  const go = async () => {
    setReopened(0)
    const { signal } = stopping.current
    try {
      const all = await reopen(setReopened, signal)
      onClose()
      return `${formatPlural(all, 'entry', 'entries')} queued for a handler.`
    } catch (error) {
      if (!signal.aborted) throw error
      return null
    }
  }

  return (
    <Dialog title={titleOf(verb, count)} onClose={onClose}>
      {children}
      {reopened !== null && (
        <p class="progress">
          <progress aria-label="Queued" value={reopened} max={Math.max(1, count ?? 1)} />
          <span role="status">
            {formatNumber(reopened)} of {formatNumber(count ?? 0)}
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
            {verb} {count === null ? '' : formatNumber(count)}
          </button>
        )}
      </div>
    </Dialog>
  )
}

function titleOf(verb: string, count: number | null): string {
  if (count === null) return 'Counting …'
  if (count === 0) return `Nothing to ${verb.toLowerCase()}`
  return `${verb} ${formatPlural(count, 'entry', 'entries')}?`
}
