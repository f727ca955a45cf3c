import type { QuarantinedDetails } from '@feed-receiver/inbox'
import type { QuarantinedAnswer } from '../../src/views.ts'
import { act, ask } from './api.ts'
import { AskFirst } from './ask-first.tsx'
import { fromBase64, toPretty, toText } from './bytes.ts'
import { Compare } from './compare.tsx'
import { Foreign } from './foreign.tsx'
import { notify } from './notices.tsx'
import { formatPlural } from './numbers.ts'
import { Problem } from './problem.tsx'
import { RawDelivery } from './raw-delivery.tsx'
import { reasons } from './reasons.ts'
import { linkTo } from './route.ts'
import type { ScreenProps } from './screens.tsx'
import { StateMark } from './state.tsx'
import { useLive } from './use-live.ts'
import { When } from './when.tsx'

/** One delivery in quarantine: why it is there, and what can be done about it. */
export function Quarantined({ parameters, isReadOnly }: ScreenProps) {
  const id = parameters['id'] ?? ''
  const live = useLive(id, () => ask<QuarantinedAnswer>('quarantined', { id }))
  return (
    <>
      <p class="crumb">
        <a href={linkTo('quarantine')}>Quarantine</a>
      </p>
      {live.error && !live.answer && <h1 tabIndex={-1}>Quarantined delivery</h1>}
      <Problem error={live.error} />
      {live.answer && <Details {...live.answer} isReadOnly={isReadOnly} onChanged={live.refresh} />}
    </>
  )
}

interface DetailsProps extends QuarantinedAnswer {
  isReadOnly: boolean
  onChanged: () => void
}

function Details({ quarantined, stored, isReadOnly, onChanged }: DetailsProps) {
  const { reason, state, detail, eventId, bodyBase64 } = quarantined
  const { title, says } = reasons[reason]
  const isConflict = reason === 'id_conflict' && stored !== null && stored.bodyBase64 !== null
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{title}</h1>
        <StateMark state={state} />
      </div>
      <p class="summary">{says}</p>
      {detail !== null && (
        <p class="detail">
          <Foreign text={detail} />
        </p>
      )}
      {state === 'open' && !isReadOnly && <Actions row={quarantined} onDone={onChanged} />}
      <Facts row={quarantined} />
      {stored && (
        <p>
          <a href={linkTo('entry', { id: stored.eventId })}>See the stored event with this id</a>
        </p>
      )}
      {isConflict && (
        <section aria-labelledby="compare-title">
          <h2 id="compare-title">What differs</h2>
          <Compare
            titles={['Stored', 'In quarantine']}
            texts={[textOf(stored.bodyBase64 ?? ''), textOf(bodyBase64)]}
            whenSame="They say the same, and differ in how they are written: see the exact bytes."
          />
        </section>
      )}
      <RawDelivery
        bodyBase64={bodyBase64}
        sha256={quarantined.sha256}
        headers={quarantined.headers}
      />
      {eventId === null && <p class="hint">No usable event id is in the body.</p>}
    </>
  )
}

function textOf(bodyBase64: string): string {
  const text = toText(fromBase64(bodyBase64))
  return toPretty(text) ?? text
}

function Actions({ row, onDone }: { row: QuarantinedDetails; onDone: () => void }) {
  const { id, reason } = row
  const { release } = reasons[reason]
  const releaseIt = async () => {
    const { result } = await act<{ result: string }>('release', { id })
    const isKnown = result === 'duplicate'
    notify(isKnown ? 'Released: its event was stored already.' : 'Released: its event is stored.')
    onDone()
  }
  const discardIt = async () => {
    await act('discard', { id })
    notify('Discarded.')
    onDone()
  }
  return (
    <div class="tools">
      {release !== null && (
        <AskFirst label="Release" question="Release this delivery?" isPrimary onYes={releaseIt}>
          {release} It is kept that you did this.
        </AskFirst>
      )}
      <AskFirst label="Discard" question="Discard this delivery?" onYes={discardIt}>
        It is marked as dealt with, and its bytes stay here. This cannot be undone. It is kept that
        you did this.
      </AskFirst>
    </div>
  )
}

function Facts({ row }: { row: QuarantinedDetails }) {
  const { eventId, seenCount, firstSeenAt, lastSeenAt, signedBy, settledAt, settledBy } = row
  return (
    <dl class="facts">
      {eventId !== null && (
        <div>
          <dt>Event id in the body</dt>
          <dd>
            <code>
              <Foreign text={eventId} />
            </code>
          </dd>
        </div>
      )}
      <div>
        <dt>Came</dt>
        <dd>
          <When at={firstSeenAt} />
          {seenCount > 1 && (
            <>
              , {formatPlural(seenCount, 'time', 'times')} in all, last <When at={lastSeenAt} />
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Signed with the secret</dt>
        <dd>
          <code>{signedBy}</code>
        </dd>
      </div>
      {settledAt !== null && (
        <div>
          <dt>{row.state === 'released' ? 'Released' : 'Discarded'}</dt>
          <dd>
            <When at={settledAt} />
            {settledBy !== null && (
              <>
                {' by '}
                <Foreign text={settledBy} />
              </>
            )}
          </dd>
        </div>
      )}
    </dl>
  )
}
