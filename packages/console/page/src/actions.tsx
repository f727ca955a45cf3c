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
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Reprocessable } from '../../src/actions.ts'
import { act, Allowed, requeue } from './api.ts'

/** Retries one entry, after a confirmation. */
export function Retry({ eventId, look }: { eventId: string; look: 'primary' | 'quiet' }) {
  if (useContext(Allowed).readOnly) return null
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

type Target = { ids: string[] } | { filter: Query }

/** What the server counted, with the limits that the action then gets. */
interface Counted extends Partial<Reprocessable> {
  count: number
  until?: string
}

interface BulkAction {
  /** The call that counts. */
  counts: string
  things: readonly [one: string, many: string]
  /** What has happened to them. */
  done: string
  says: string
  /** Runs the action, and resolves to the number of things. */
  start: (
    target: Target,
    input: Partial<Counted> & { effects: string },
    onProgress: (count: number) => void,
    signal: AbortSignal,
  ) => Promise<number>
}

const entries = { things: ['entry', 'entries'], done: 'queued for a handler.' } as const

const bulkActions = {
  Retry: {
    ...entries,
    counts: 'countretriable',
    says:
      'The handler of each entry runs again, as for a new event. Failing entries do not wait for ' +
      'their next attempt. Your name is recorded. Entries whose bytes retention has deleted stay ' +
      'unchanged.',
    start: (target, _, ...progress) => requeue('retry', target, ...progress),
  },
  Reprocess: {
    ...entries,
    counts: 'countreprocessable',
    says:
      'The handler of each entry runs again, and can see that it is reprocessed. Your name is ' +
      'recorded.',
    start: (target, { effects, handledBefore }, ...progress) =>
      requeue('reprocess', { ...target, effects, handledBefore }, ...progress),
  },
  Discard: {
    counts: 'countdiscardable',
    things: ['delivery', 'deliveries'],
    done: 'discarded.',
    says:
      'They are marked as discarded, and their bytes stay here. You cannot undo this. Your name ' +
      'is recorded.',
    // Nobody has confirmed to discard what arrives after the count.
    start: async (target, { until }) => {
      const filter = { ...('filter' in target && target.filter), until }
      return (await act<Counted>('discardall', { filter })).count
    },
  },
} satisfies Record<string, BulkAction>

interface BulkProps {
  verb: keyof typeof bulkActions
  label: string
  target: Target
}

/** Acts on all entries or deliveries of a target: counts them, asks once, and shows progress. */
export function Bulk({ verb, label, target }: BulkProps) {
  // The target as it was when the dialog opened, because a period that counts back from now moves
  // on.
  const [kept, setKept] = useState<Target | null>(null)
  if (useContext(Allowed).readOnly) return null
  return (
    <>
      <button onClick={() => setKept(target)}>{label}</button>
      {kept && <BulkDialog verb={verb} target={kept} onClose={() => setKept(null)} />}
    </>
  )
}

interface BulkDialogProps extends Omit<BulkProps, 'label'> {
  onClose: () => void
}

function BulkDialog({ verb, target, onClose }: BulkDialogProps) {
  const { counts, things, done, says, start }: BulkAction = bulkActions[verb]
  const [found, setFound] = useState<Counted | null>(null)
  const [effects, setEffects] = useState('keep')
  const [finished, setFinished] = useState<number | null>(null)
  const { isBusy, problem, setProblem, run } = useTask()
  const stopping = useRef(new AbortController())

  useEffect(() => {
    act<Counted>(counts, target).then(setFound, (error: unknown) => setProblem(messageOf(error)))
    return () => stopping.current.abort()
  }, [])

  const go = async () => {
    setFinished(0)
    const { signal } = stopping.current
    try {
      const all = await start(target, { ...found, effects }, setFinished, signal)
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
  const count = found?.count ?? 0
  const title = !found
    ? 'Counting …'
    : count === 0
      ? `Nothing to ${verb.toLowerCase()}`
      : `${verb} ${formatPlural(count, ...things)}?`

  return (
    <Dialog title={title} onClose={onClose}>
      <p>{says}</p>
      {found?.isExact === false && <p>There are more entries than this count.</p>}
      {found?.emptied !== undefined && found.emptied > 0 && (
        <p>
          {formatPlural(found.emptied, 'entry stays', 'entries stay')} unchanged, because retention
          has deleted the bytes.
        </p>
      )}
      {verb === 'Reprocess' && (
        <>
          <Choose label="Effects" choices={effectChoices} chosen={effects} onChoose={setEffects} />
          <p class="hint">
            effects.once records effects outside the database, such as a sent message.
          </p>
        </>
      )}
      {finished !== null && (
        <p class="progress">
          <progress aria-label="Progress" value={finished} max={count} />
          <span role="status">
            {formatNumber(finished)} of {formatNumber(count)}
          </span>
        </p>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
      <div class="tools">
        <button onClick={onClose}>{isBusy ? leave : 'Cancel'}</button>
        {!isBusy && (
          <button class="primary" disabled={count === 0} onClick={() => void run(go)}>
            {verb} {found && formatNumber(count)}
          </button>
        )}
      </div>
    </Dialog>
  )
}

const effectChoices = [
  ['keep', 'Skip recorded effects'],
  ['again', 'Repeat recorded effects'],
] as const
