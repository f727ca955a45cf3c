import type { QuarantinedDetails, QuarantinedRow } from '@feed-receiver/inbox'
import {
  AskFirst,
  Facts,
  Untrusted,
  formatPlural,
  linkTo,
  LiveScreen,
  type ScreenProps,
  Section,
  toPretty,
} from '@feed-receiver/page-kit'
import { useContext } from 'preact/hooks'
import type { ViewAnswer } from '../../src/views.ts'
import { act, ask, Allowed } from './api.ts'
import { Compare } from './compare.tsx'
import { fromBase64, RawDelivery, toText } from './raw-delivery.tsx'
import { Id, StateMark, When } from './words.tsx'

const readable = 'This version of the kit can read it, so its event is stored and handled.'

/** Why signed deliveries are quarantined, and the effect of a release if one is possible. */
export const reasons: Record<
  QuarantinedRow['reason'],
  { title: string; says: string; release: string | null }
> = {
  not_json: {
    title: 'Not JSON',
    says: 'The body is signed, but it is not JSON, so its event is unknown.',
    release: readable,
  },
  not_an_event: {
    title: 'Not an event',
    says: 'The body is JSON, but a required member of an event is missing or invalid.',
    release: readable,
  },
  unknown_schema_version: {
    title: 'Newer format',
    says: 'The body has a schema version that this version of the kit does not know.',
    release: readable,
  },
  id_mismatch: {
    title: 'Two ids',
    says: 'A header and the body name different events. Only the body is signed, so a proxy between the service and your app may have mixed up two deliveries.',
    release:
      'The event is stored and handled under the id in its body, because only the body is signed.',
  },
  id_conflict: {
    title: 'Same id, different content',
    says: 'An event with this id is already stored, with different bytes. Both are signed. Compare them, decide which one is right, act on it by hand if necessary, and discard this one.',
    release: null,
  },
}

/** One delivery in quarantine: the reason, and the possible actions. */
export function Quarantined({ parameters: { id = '' } }: ScreenProps) {
  return (
    <LiveScreen
      crumb={<a href="#/quarantine">Quarantine</a>}
      title={(answer) =>
        answer ? reasons[answer.quarantined.reason].title : 'Quarantined delivery'
      }
      beside={(answer) => answer && <StateMark state={answer.quarantined.state} />}
      question={id}
      load={() => ask('quarantined', { id })}
    >
      {(answer) => <QuarantinedContent {...answer} />}
    </LiveScreen>
  )
}

function QuarantinedContent({ quarantined, stored }: ViewAnswer<'quarantined'>) {
  const { reason, state, detail, eventId, bodyBase64, sha256, headers } = quarantined
  return (
    <>
      <p class="summary">{reasons[reason].says}</p>
      {detail !== null && (
        <p class="detail">
          <Untrusted text={detail} />
        </p>
      )}
      {state === 'open' && <NoRelease row={quarantined} />}
      {state === 'open' && <Actions row={quarantined} />}
      <QuarantineFacts row={quarantined} />
      {stored && (
        <p>
          <a href={linkTo('entry', { id: stored.eventId })}>Open the stored event with this id</a>
        </p>
      )}
      {reason === 'id_conflict' && stored?.bodyBase64 && (
        <Section title="Differences">
          <Compare
            titles={['Stored', 'In quarantine']}
            texts={[textOf(stored.bodyBase64), textOf(bodyBase64)]}
            whenSame="Both have the same content, and differ only in formatting: see the exact bytes."
          />
        </Section>
      )}
      <RawDelivery bodyBase64={bodyBase64} sha256={sha256} headers={headers} />
      {eventId === null && <p class="hint">The body has no usable event id.</p>}
    </>
  )
}

function textOf(bodyBase64: string): string {
  const text = toText(fromBase64(bodyBase64))
  return toPretty(text) ?? text
}

function NoRelease({ row: { reason, unreadable } }: { row: QuarantinedDetails }) {
  if (reasons[reason].release === null || unreadable === null) return null
  return (
    <p class="banner calm">
      <span>
        It cannot be released, because this version of the kit cannot read it:{' '}
        <Untrusted text={unreadable} /> If a newer version can, you can release it here after the
        upgrade. Discard it once you have handled it by hand.
      </span>
    </p>
  )
}

function Actions({ row: { id, reason, unreadable } }: { row: QuarantinedDetails }) {
  if (useContext(Allowed).readOnly) return null
  const release = unreadable === null ? reasons[reason].release : null
  const releaseIt = async () => {
    const { result } = await act<{ result: string }>('release', { id })
    const isKnown = result === 'duplicate'
    return isKnown ? 'Released. Its event was already stored.' : 'Released. Its event is stored.'
  }
  const discardIt = async () => {
    await act('discard', { id })
    return 'Discarded.'
  }
  return (
    <div class="tools">
      {release !== null && (
        <AskFirst
          label="Release"
          question="Release this delivery?"
          look="primary"
          onYes={releaseIt}
        >
          {release} Your name is recorded.
        </AskFirst>
      )}
      <AskFirst label="Discard" question="Discard this delivery?" onYes={discardIt}>
        It is marked as discarded, and its bytes stay here. You cannot undo this. Your name is
        recorded.
      </AskFirst>
    </div>
  )
}

function QuarantineFacts({ row }: { row: QuarantinedDetails }) {
  const { eventId, signedBy, state, resolvedAt, resolvedBy, seenCount } = row
  const again = seenCount > 1 && (
    <>
      , {formatPlural(seenCount, 'time', 'times')} in total, last <When at={row.lastSeenAt} />
    </>
  )
  const by = resolvedBy !== null && [' by ', <Untrusted text={resolvedBy} />]
  return (
    <Facts
      facts={[
        eventId !== null && ['Event id in the body', <Id text={eventId} />],
        ['Received', [<When at={row.firstSeenAt} />, again]],
        ['Signed with the secret', <code>{signedBy}</code>],
        resolvedAt !== null && [
          state === 'released' ? 'Released' : 'Discarded',
          [<When at={resolvedAt} />, by],
        ],
      ]}
    />
  )
}
