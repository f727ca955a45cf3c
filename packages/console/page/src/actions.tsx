import {
  AskFirst,
  Choose,
  Dialog,
  formatNumber,
  formatPlural,
  messageOf,
  notify,
  type Query,
  useTask,
} from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Reprocessable } from '../../src/actions.ts'
import { act, requeue } from './api.ts'

interface RetryProps {
  eventId: string
  look: 'primary' | 'quiet'
}

/** Retries one entry, after a confirmation. */
export function Retry({ eventId, look }: RetryProps) {
  const go = async () => {
    const retried = await requeue('retry', { ids: [eventId] }, () => {})
    return retried === 1 ? 'Queued for its handler.' : 'Somebody else retried it first.'
  }
  return (
    <AskFirst label="Retry" question="Retry this entry?" look={look} onYes={go}>
      Its handler runs again, as for a new event. Your name is recorded.
    </AskFirst>
  )
}

/** Retries all entries that match a filter: counts them, asks once, and shows progress. */
export function RetryMany({ filter, label = 'Retry all …' }: { filter: Query; label?: string }) {
  // The filter as it was when the dialog opened, because a period that counts back from now moves
  // on.
  const [kept, setKept] = useState<Query | null>(null)
  return (
    <>
      <button onClick={() => setKept(filter)}>{label}</button>
      {kept && (
        <BulkDialog
          verb="Retry"
          count={async () =>
            (await act<{ count: number }>('countretriable', { filter: kept })).count
          }
          start={(onProgress, signal) => requeue('retry', { filter: kept }, onProgress, signal)}
          onClose={() => setKept(null)}
        >
          <p>
            The handler of each entry runs again, as for a new event. Failing entries do not wait
            for their next attempt. Your name is recorded. Entries whose bytes retention has deleted
            stay unchanged.
          </p>
        </BulkDialog>
      )}
    </>
  )
}

type Target = { ids: string[] } | { filter: Query }

/** Requeues done or skipped entries, after it has counted them and asked once. */
export function Reprocess({ label, target }: { label: string; target: Target }) {
  // The target as it was when the dialog opened, because a period that counts back from now moves
  // on.
  const [kept, setKept] = useState<Target | null>(null)
  return (
    <>
      <button onClick={() => setKept(target)}>{label}</button>
      {kept && <ReprocessDialog target={kept} onClose={() => setKept(null)} />}
    </>
  )
}

function ReprocessDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const [effects, setEffects] = useState('keep')
  const [found, setFound] = useState<Reprocessable | null>(null)
  const count = async () => {
    const reprocessable = await act<Reprocessable>('countreprocessable', target)
    setFound(reprocessable)
    return reprocessable.count
  }
  return (
    <BulkDialog
      verb="Reprocess"
      count={count}
      start={(onProgress, signal) => {
        const input = { ...target, effects, handledBefore: found?.handledBefore }
        return requeue('reprocess', input, onProgress, signal)
      }}
      onClose={onClose}
    >
      <p>
        The handler of each entry runs again, and can see that it is reprocessed. Your name is
        recorded.
      </p>
      {found && !found.isExact && <p>There are more entries than this count.</p>}
      {found && found.emptied > 0 && (
        <p>
          {formatPlural(found.emptied, 'entry stays', 'entries stay')} unchanged, because retention
          has deleted the bytes.
        </p>
      )}
      <Choose label="Effects" choices={effectChoices} chosen={effects} onChoose={setEffects} />
      <p class="hint">effects.once records effects outside the database, such as a sent message.</p>
    </BulkDialog>
  )
}

const effectChoices = [
  ['keep', 'Skip recorded effects'],
  ['again', 'Repeat recorded effects'],
] as const

/** Discards all open deliveries of a reason in quarantine, or all. */
export function DiscardMany({ filter }: { filter: Query }) {
  const [isOpen, setIsOpen] = useState(false)
  // Nobody has confirmed to discard what arrives after the count.
  const until = useRef<string | undefined>(undefined)
  const count = async () => {
    const found = await act<{ count: number; until: string }>('countdiscardable', { filter })
    until.current = found.until
    return found.count
  }
  const discard = async () => {
    const counted = { ...filter, until: until.current }
    return (await act<{ count: number }>('discardall', { filter: counted })).count
  }
  return (
    <>
      <button onClick={() => setIsOpen(true)}>Discard all …</button>
      {isOpen && (
        <BulkDialog
          verb="Discard"
          things={['delivery', 'deliveries']}
          done="discarded."
          count={count}
          start={discard}
          onClose={() => setIsOpen(false)}
        >
          <p>
            They are marked as discarded, and their bytes stay here. You cannot undo this. Your name
            is recorded.
          </p>
        </BulkDialog>
      )}
    </>
  )
}

interface BulkDialogProps {
  /** The action. */
  verb: 'Retry' | 'Reprocess' | 'Discard'
  /** What it acts on. */
  things?: readonly [one: string, many: string]
  /** What has happened to them. */
  done?: string
  /** Called once, to count the entries. */
  count: () => Promise<number>
  /** Runs the action, and resolves to the number of entries. */
  start: (onProgress: (count: number) => void, signal: AbortSignal) => Promise<number>
  onClose: () => void
  children: ComponentChildren
}

/** Counts, asks once for confirmation, acts, and shows progress. */
function BulkDialog({
  verb,
  things = ['entry', 'entries'],
  done = 'queued for a handler.',
  count: ask,
  start,
  onClose,
  children,
}: BulkDialogProps) {
  const [count, setCount] = useState<number | null>(null)
  const [finished, setFinished] = useState<number | null>(null)
  const { isBusy, problem, setProblem, run } = useTask()
  const stopping = useRef(new AbortController())

  useEffect(() => {
    ask().then(setCount, (error: unknown) => setProblem(messageOf(error)))
    return () => stopping.current.abort()
  }, [])

  const go = async () => {
    setFinished(0)
    const { signal } = stopping.current
    try {
      const all = await start(setFinished, signal)
      onClose()
      return `${formatPlural(all, ...things)} ${done}`
    } catch (error) {
      if (!signal.aborted) throw error
      // A discard went on after the dialog was closed.
      if (verb === 'Discard') notify(`Discard failed: ${messageOf(error)}`, { isBad: true })
      return null
    }
  }

  // A discard is one call, which nothing stops.
  const leave = verb === 'Discard' ? 'Close' : 'Stop'

  return (
    <Dialog title={titleOf(verb, count, things)} onClose={onClose}>
      {children}
      {finished !== null && (
        <p class="progress">
          <progress aria-label="Progress" value={finished} max={Math.max(1, count ?? 1)} />
          <span role="status">
            {formatNumber(finished)} of {formatNumber(count ?? 0)}
          </span>
        </p>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="tools">
        <button onClick={onClose}>{isBusy ? leave : 'Cancel'}</button>
        {!isBusy && (
          <button class="primary" disabled={!count} onClick={() => void run(go)}>
            {verb} {count === null ? '' : formatNumber(count)}
          </button>
        )}
      </div>
    </Dialog>
  )
}

function titleOf(
  verb: string,
  count: number | null,
  things: readonly [one: string, many: string],
): string {
  if (count === null) return 'Counting …'
  if (count === 0) return `Nothing to ${verb.toLowerCase()}`
  return `${verb} ${formatPlural(count, ...things)}?`
}
