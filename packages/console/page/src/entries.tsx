import type { EntryPage, EntryRow } from '@feed-receiver/inbox'
import { Foreign, LiveScreen, RowLink, Table, useLive, usePages } from '@feed-receiver/page-kit'
import type { Query, ScreenProps } from '@feed-receiver/page-kit'
import { useContext } from 'preact/hooks'
import { ask, maxLive, ReadOnly } from './api.ts'
import { EntryFilters } from './entry-filters.tsx'
import { Replay } from './replay.tsx'
import { RetryMany } from './retry-many.tsx'
import { formatCount, StateMark, When } from './words.tsx'

/** What is stored, to search and to filter; it follows what comes. */
export function Entries({ parameters }: ScreenProps) {
  const isReadOnly = useContext(ReadOnly)
  const question = JSON.stringify(parameters)
  const { count, more } = usePages(question)
  const query = () => toFilter(parameters)
  const total = useLive(`count ${question}`, () => ask('count', query()), 5_000)
  const { state = '' } = parameters
  const isRetriable = state === 'dead' || state === 'skipped'
  // Not of everything there is, without a filter.
  const isReplayable = ['', 'done', 'skipped'].includes(state) && question !== '{}'
  const beside = (found: EntryPage | null) => (
    <>
      <p class="count">{total.answer && !total.isStale && formatCount(total.answer)}</p>
      {isRetriable && !isReadOnly && found && found.entries.length > 0 && (
        <RetryMany filter={query()} />
      )}
      {isReplayable && !isReadOnly && found && found.entries.length > 0 && (
        <Replay label="Replay all …" target={{ filter: query() }} />
      )}
    </>
  )
  return (
    <LiveScreen
      title="Entries"
      beside={beside}
      top={<EntryFilters parameters={parameters} />}
      question={`${question} ${count}`}
      load={() => askEntries(query(), count)}
    >
      {({ entries, next }) => (
        <>
          <Table
            label="Entries"
            head={['State', 'Event', 'Provider', 'Received']}
            rows={entries}
            none={question === '{}' ? nothing : noneIsLike}
            cells={cellsOf}
          />
          {more(next)}
        </>
      )}
    </LiveScreen>
  )
}

/** The newest entries anew each time, and those behind them as they are asked for. */
async function askEntries(query: Query, count: number): Promise<EntryPage> {
  const limit = Math.min(count, maxLive)
  const { entries, next } = await ask('entries', { ...query, limit })
  if (next === null || entries.length >= count) return { entries, next }
  const others = await askEntries({ ...query, after: next }, count - entries.length)
  return { entries: [...entries, ...others.entries], next: others.next }
}

function cellsOf(entry: EntryRow) {
  const { eventId, state, title, type, provider, subjectKey, receivedAt, confirmation } = entry
  return [
    <StateMark state={state} />,
    <RowLink to="entry" id={eventId} title={title}>
      <Foreign text={type} />
      {subjectKey !== null && [' · ', <Foreign text={subjectKey} />]}
      {confirmation !== 'confirmed' && [' · ', <Foreign text={confirmation} />]}
    </RowLink>,
    <Foreign text={provider} />,
    <When at={receivedAt} />,
  ]
}

const nothing = 'Nothing has come yet. What does will be here at once.'

const noneIsLike = (
  <>
    No entry is like this. <a href="#/entries">Show all</a>
  </>
)

const hourMs = 3_600_000

const lengthsMs = new Map([
  ['1h', hourMs],
  ['24h', 24 * hourMs],
  ['7d', 7 * 24 * hourMs],
  ['30d', 30 * 24 * hourMs],
])

/** What the server is to look for, from what a link says; a time back from now is worked out here. */
function toFilter({ within, since, until, ...others }: ScreenProps['parameters']): Query {
  const length = lengthsMs.get(within ?? '')
  if (length === undefined) return { ...others, since: toIso(since), until: toIso(until) }
  return { ...others, since: new Date(Date.now() - length).toISOString() }
}

function toIso(local: string | undefined): string {
  const at = Date.parse(local ?? '')
  return Number.isNaN(at) ? '' : new Date(at).toISOString()
}
