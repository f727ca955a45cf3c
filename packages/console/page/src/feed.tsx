import type { GapRow } from '@feed-receiver/inbox'
import {
  Untrusted,
  LiveScreen,
  RowLink,
  Section,
  Table,
  usePages,
  Views,
} from '@feed-receiver/page-kit'
import type { Choice, ScreenProps } from '@feed-receiver/page-kit'
import type { ViewAnswer } from '../../src/views.ts'
import { ask, maxLive } from './api.ts'
import { PollStream } from './poll-stream.tsx'
import { RejectedTable } from './rejected.tsx'
import { Command, formatCount, lengths, When } from './words.tsx'
import { Pause } from './verdict.tsx'

/** The state of push and pull: rejections, the progress of pull, and events that push missed. */
export function Feed({ parameters: { kind = 'missed', hours = '24' } }: ScreenProps) {
  const { count: limit, more } = usePages(kind, maxLive)
  return (
    <LiveScreen
      title="Feed"
      lead="Events arrive by push, and by pull if a poller runs. An event from both is one entry."
      question={`${kind} ${limit} ${hours}`}
      load={() => ask('feed', { kind, limit, hours })}
    >
      {({ counts, streams, silent, restarts, gaps, rejections }) => (
        <>
          <Pause gaps={counts} />
          <Section
            title="Rejected deliveries"
            beside={<Views name="hours" label="Time shown" choices={lengths} value={hours} />}
          >
            <RejectedTable rejections={rejections} />
          </Section>
          <Section title="Polling">
            {streams.length === 0 && (
              <div class="empty">
                <p>
                  No polling yet. Push loses events in a long outage, and only pull recovers them.
                  Start a poller of @feed-receiver/client on this inbox.
                </p>
                <Command>{'createPoller({ client, inbox }).start()'}</Command>
              </div>
            )}
            <ul class="cards">
              {streams.map((stream) => (
                <PollStream
                  key={stream.stream}
                  stream={stream}
                  silent={silent}
                  restarts={restarts.filter((gap) => gap.stream === stream.stream)}
                />
              ))}
            </ul>
          </Section>
          <Section
            title="Events not pushed"
            beside={<Views name="kind" label="Show" choices={kindsOf(counts)} value={kind} />}
          >
            <Gaps gaps={gaps.gaps} isMissed={kind === 'missed'} />
            {more(gaps.next)}
          </Section>
        </>
      )}
    </LiveScreen>
  )
}

function kindsOf(counts: ViewAnswer<'feed'>['counts']): Choice[] {
  return [
    ['missed', `Missed ${counts ? formatCount(counts.missed) : ''}`],
    ['pull_only', `All by pull only ${counts ? formatCount(counts.pullOnly) : ''}`],
  ]
}

/**
 * Events that only pull delivered. `isMissed` limits them to events that the delivery rules push.
 */
function Gaps({ gaps, isMissed }: { gaps: GapRow[]; isMissed: boolean }) {
  return (
    <>
      <p class="lead">
        {isMissed
          ? 'Your delivery rules select these events, but only pull delivered them. They were handled like any other event.'
          : 'Only pull delivered these events, whether or not your delivery rules select them.'}{' '}
        An event is listed 90 minutes after it was pulled, because push makes no attempt after that
        time.
      </p>
      <Table
        label="Events"
        head={['Event', 'Provider', 'Pulled']}
        rows={gaps}
        none={isMissed ? 'No missed events.' : 'No events.'}
        cells={gapCells}
        main={0}
        isDense
      />
    </>
  )
}

function gapCells({ eventId, title, type, provider, pulledAt, expected }: GapRow) {
  return [
    <RowLink to="entry" id={eventId} title={title}>
      <Untrusted text={type} />
      {expected === null && ' · delivery rules unknown'}
    </RowLink>,
    <Untrusted text={provider} />,
    <When at={pulledAt} />,
  ]
}
