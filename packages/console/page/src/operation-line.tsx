import type { OperationKind, OperationRow } from '@feed-receiver/inbox'
import { Foreign } from './foreign.tsx'
import { formatPlural } from './numbers.ts'
import { linkTo } from './route.ts'
import { When } from './when.tsx'

const did: Record<OperationKind, string> = {
  retry: 'retried',
  release: 'released',
  discard: 'discarded',
}

/** What somebody did, to what, and when. */
export function OperationLine({ operation }: { operation: OperationRow }) {
  const { kind, by, at } = operation
  return (
    <li>
      <span>
        <strong>{by === null ? 'Somebody' : <Foreign text={by} />}</strong> {did[kind]}{' '}
        <Target operation={operation} />
      </span>
      <When at={at} />
    </li>
  )
}

function Target({ operation: { eventId, entryCount, quarantineId } }: { operation: OperationRow }) {
  if (eventId !== null) {
    return (
      <a href={linkTo('entry', { id: eventId })}>
        <Foreign text={eventId} />
      </a>
    )
  }
  if (quarantineId !== null) {
    return (
      <a href={linkTo('quarantined', { id: quarantineId })}>number {quarantineId} of quarantine</a>
    )
  }
  return <>{formatPlural(entryCount, 'entry', 'entries')}</>
}
