import type { BoundedCount, EntryError } from '@feed-receiver/inbox'
import { Untrusted, formatPlural, linkTo } from '@feed-receiver/page-kit'
import { Bulk } from './actions.tsx'
import { formatCount } from './words.tsx'

/** More errors than a person fixes at once. */
const maxShown = 6

/** The dead and failing entries by error, each error with a button that retries its entries. */
export function Failures({ errors }: { errors: readonly EntryError[] }) {
  if (errors.length === 0) return null
  const dead = sum(errors.map((one) => one.dead))
  const failing = sum(errors.map((one) => one.failing))
  return (
    <section
      class={`banner ${dead.count > 0 ? 'bad' : 'warn'} failures`}
      aria-label="Failed entries"
    >
      <p>
        {dead.count > 0 && (
          <a href={linkTo('entries', { state: 'dead' })}>
            {formatCount(dead)} {dead.count === 1 ? 'entry is' : 'entries are'} dead
          </a>
        )}
        {dead.count > 0 && failing.count > 0 && ', '}
        {failing.count > 0 && (
          <a href={linkTo('entries', { state: 'failing' })}>
            {formatCount(failing)} {failing.count === 1 ? 'waits' : 'wait'} for a retry
          </a>
        )}
        . Fix the cause, then retry.
      </p>
      <ul>
        {errors.slice(0, maxShown).map((one) => (
          <li key={one.error} class="row">
            <div>
              <a href={linkTo('entries', { error: one.error })}>
                {one.message === '' ? 'No error recorded' : <Untrusted text={one.message} />}
              </a>
              <p class="under">
                {countsOf(one)} · <Untrusted text={one.types.join(', ')} />
              </p>
            </div>
            <Bulk verb="Retry" label={labelOf(one)} target={{ filter: { error: one.error } }} />
          </li>
        ))}
      </ul>
      {errors.length > maxShown && (
        <p class="under">
          and {formatPlural(errors.length - maxShown, 'other error', 'other errors')}
        </p>
      )}
    </section>
  )
}

function sum(counts: readonly BoundedCount[]): BoundedCount {
  return {
    count: counts.reduce((total, { count }) => total + count, 0),
    isExact: counts.every(({ isExact }) => isExact),
  }
}

function countsOf({ dead, failing }: EntryError): string {
  const parts = [
    dead.count > 0 && `${formatCount(dead)} dead`,
    failing.count > 0 && `${formatCount(failing)} failing`,
  ]
  return parts.filter(Boolean).join(', ')
}

function labelOf({ dead, failing }: EntryError): string {
  const all = sum([dead, failing])
  return all.count === 1 ? 'Retry this one' : `Retry these ${formatCount(all)}`
}
