import type { EntryPage, EntryRow } from '@feed-receiver/inbox'
import {
  Untrusted,
  formatPlural,
  LiveScreen,
  pageSize,
  RowLink,
  Table,
  useLive,
  usePages,
} from '@feed-receiver/page-kit'
import type { Query, ScreenProps } from '@feed-receiver/page-kit'
import { ask, maxLive } from './api.ts'
import { EntryFilters } from './entry-filters.tsx'
import { Bulk, Retry } from './actions.tsx'
import { formatCount, isTest, NoEvents, StateMark, stateOf, When } from './words.tsx'

/** The stored entries, with search and filters. The list is live. */
export function Entries({ parameters }: ScreenProps) {
  const question = JSON.stringify(parameters)
  const { count, more } = usePages(question)
  const query = () => toFilter(parameters)
  const total = useLive(`count ${question}`, () => ask('count', query()), 5_000)
  const { state = '' } = parameters
  const isOfTests = isTest({ type: parameters['type'] ?? '' })
  const ofError = parameters['error'] !== undefined
  const isRetriable =
    (['dead', 'skipped', 'failing'].includes(state) || (state === '' && ofError)) && !isOfTests
  // Never for all entries at once: a filter is required.
  const isFiltered = Object.values(query()).some((value) => value !== '')
  const isReprocessable =
    ['', 'done', 'skipped'].includes(state) && isFiltered && !isOfTests && !ofError
  const beside = (found: EntryPage | null) => (
    <>
      <p class="count">{total.answer && !total.isStale && formatCount(total.answer)}</p>
      {isRetriable && found && found.entries.length > 0 && (
        <Bulk verb="Retry" label="Retry all …" target={{ filter: query() }} />
      )}
      {isReprocessable && found && found.entries.length > 0 && (
        <Bulk verb="Reprocess" label="Reprocess all …" target={{ filter: query() }} />
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
      {({ entries, next, searchedBackTo }) => (
        <>
          <Table
            label="Entries"
            head={['State', 'Event', 'Provider', 'Received']}
            rows={entries}
            none={isFiltered ? noneIsLike(searchedBackTo) : <NoEvents why="No events yet." />}
            cells={entryCells}
            isDense
          />
          {searchedBackTo !== null && entries.length > 0 && (
            <p class="empty">
              Searched back to <When at={searchedBackTo} />.
            </p>
          )}
          {more(next)}
        </>
      )}
    </LiveScreen>
  )
}

/**
 * Polls the newest entries, with as many older ones as the user has asked for. A search may stop
 * before its page is full. Each further page that the user asks for continues it once.
 */
async function askEntries(query: Query, count: number): Promise<EntryPage> {
  const limit = Math.min(count, maxLive)
  const page = await ask('entries', { ...query, limit })
  const { entries, next } = page
  const left =
    count - (page.searchedBackTo === null ? entries.length : Math.max(entries.length, pageSize))
  if (next === null || left <= 0) return page
  const others = await askEntries({ ...query, after: next }, left)
  return { ...others, entries: [...entries, ...others.entries] }
}

function entryCells(entry: EntryRow) {
  const { eventId, title, type, provider, subjectKey, receivedAt, confirmation } = entry
  return [
    <StateMark state={stateOf(entry)} />,
    <RowLink to="entry" id={eventId} title={title} line={failureOf(entry)}>
      <Untrusted text={type} />
      {subjectKey !== null && [' · ', <Untrusted text={subjectKey} />]}
      {confirmation !== 'confirmed' && [' · ', <Untrusted text={confirmation} />]}
    </RowLink>,
    <Untrusted text={provider} />,
    <>
      <When at={receivedAt} />
      {isFailed(entry) && <Retry eventId={eventId} look="quiet" />}
    </>,
  ]
}

function isFailed({ state, isFailing }: EntryRow): boolean {
  return state === 'dead' || isFailing
}

function failureOf(entry: EntryRow) {
  const { state, job } = entry
  if (!job || !isFailed(entry)) return null
  const { attempts, maxAttempts, lastError } = job
  const tried =
    state === 'dead'
      ? formatPlural(attempts, 'attempt', 'attempts')
      : `Attempt ${attempts} of ${maxAttempts}`
  return (
    <>
      {tried}: {lastError ? <Untrusted text={lastError.message} /> : 'no error recorded'}
    </>
  )
}

const noneIsLike = (searchedBackTo: string | null) => (
  <p>
    No entry matches{searchedBackTo !== null && [' since ', <When at={searchedBackTo} />]}.{' '}
    <a href="#/entries">Show all</a>
  </p>
)

const hourMs = 3_600_000

const lengthsMs = new Map([
  ['1h', hourMs],
  ['24h', 24 * hourMs],
  ['7d', 7 * 24 * hourMs],
  ['30d', 30 * 24 * hourMs],
])

/** Converts the parameters of a link to a filter. A period such as 24h is counted back from now. */
function toFilter({ within, ...others }: ScreenProps['parameters']): Query {
  const length = lengthsMs.get(within ?? '')
  if (length === undefined) return others
  return { ...others, since: new Date(Date.now() - length).toISOString() }
}
