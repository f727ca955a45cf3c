import type { BoundedCount, EntryPage, EntryRow } from '@feed-receiver/inbox'
import { useRef, useState } from 'preact/hooks'
import { ask, type Query } from './api.ts'
import { EntryFilters } from './entry-filters.tsx'
import { Foreign } from './foreign.tsx'
import { formatCount } from './numbers.ts'
import { Problem } from './problem.tsx'
import { RetryMany } from './retry-many.tsx'
import { linkTo } from './route.ts'
import type { ScreenProps } from './screens.tsx'
import { StateMark } from './state.tsx'
import { stepThrough } from './step-through.ts'
import { toFilter } from './to-filter.ts'
import { useKeys } from './use-keys.ts'
import { useLive } from './use-live.ts'
import { When } from './when.tsx'

const pageSize = 50
const maxLive = 500

/** What is stored, to search and to filter; it follows what comes. */
export function Entries({ parameters, isReadOnly }: ScreenProps) {
  const question = JSON.stringify(parameters)
  const [wanted, setWanted] = useState({ question, count: pageSize })
  const count = wanted.question === question ? wanted.count : pageSize
  const query = (): Query => ({ ...toFilter(parameters) })
  const live = useLive(`${question} ${count}`, () => askEntries(query(), count))
  const total = useLive(`count ${question}`, () => ask<BoundedCount>('count', query()), 5_000)
  const rows = useRef<HTMLTableSectionElement>(null)
  useKeys({ j: () => stepThrough(rows.current, 1), k: () => stepThrough(rows.current, -1) })
  const isRetriable = parameters['state'] === 'dead' || parameters['state'] === 'skipped'

  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>Entries</h1>
        <p class="count">{total.answer && !total.isStale && formatCount(total.answer)}</p>
        {isRetriable && !isReadOnly && live.answer && live.answer.entries.length > 0 && (
          <RetryMany filter={toFilter(parameters)} onDone={live.refresh} />
        )}
      </div>
      <EntryFilters parameters={parameters} />
      <Problem error={live.error} />
      {live.answer && (
        <div class={live.isStale ? 'stale' : ''}>
          {live.answer.entries.length === 0 ? (
            <Nothing isFiltered={question !== '{}'} />
          ) : (
            <table class="rows">
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Event</th>
                  <th scope="col">Provider</th>
                  <th scope="col">Received</th>
                </tr>
              </thead>
              <tbody ref={rows}>
                {live.answer.entries.map((entry) => (
                  <Row key={entry.id} entry={entry} />
                ))}
              </tbody>
            </table>
          )}
          {live.answer.next !== null && (
            <p class="more">
              <button onClick={() => setWanted({ question, count: count + pageSize })}>
                Show more
              </button>
            </p>
          )}
        </div>
      )}
    </>
  )
}

/** The newest entries anew each time, and those behind them as they are asked for. */
async function askEntries(query: Query, count: number): Promise<EntryPage> {
  const newest = await ask<EntryPage>('entries', { ...query, limit: Math.min(count, maxLive) })
  let { entries, next } = newest
  while (next !== null && entries.length < count) {
    const limit = Math.min(count - entries.length, maxLive)
    const page = await ask<EntryPage>('entries', { ...query, after: next, limit })
    entries = [...entries, ...page.entries]
    next = page.next
  }
  return { entries, next }
}

function Row({ entry }: { entry: EntryRow }) {
  const { eventId, state, title, type, provider, subjectKey, receivedAt, confirmation } = entry
  return (
    <tr>
      <td class="cell-state">
        <StateMark state={state} />
      </td>
      <td class="cell-event">
        <a class="row-link" href={linkTo('entry', { id: eventId })}>
          <Foreign text={title} />
        </a>
        <span class="under">
          <Foreign text={type} />
          {subjectKey !== null && (
            <>
              {' · '}
              <Foreign text={subjectKey} />
            </>
          )}
          {confirmation !== 'confirmed' && (
            <>
              {' · '}
              <Foreign text={confirmation} />
            </>
          )}
        </span>
      </td>
      <td class="cell-provider">
        <Foreign text={provider} />
      </td>
      <td class="cell-when">
        <When at={receivedAt} />
      </td>
    </tr>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return <p class="empty">Nothing has come yet. What does will be here at once.</p>
  }
  return (
    <p class="empty">
      No entry is like this. <a href={linkTo('entries')}>Show all</a>
    </p>
  )
}
