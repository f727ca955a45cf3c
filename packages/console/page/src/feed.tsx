import type { GapRow } from '@feed-receiver/inbox'
import {
  Foreign,
  Head,
  linkTo,
  More,
  replaceRoute,
  RowLink,
  Segments,
  Shown,
  Table,
  useLive,
} from '@feed-receiver/page-kit'
import type { ScreenProps } from '@feed-receiver/page-kit'
import { useState } from 'preact/hooks'
import type { FeedAnswer } from '../../src/views.ts'
import { ask } from './api.ts'
import { Pause } from './pause.tsx'
import { PollStream } from './poll-stream.tsx'
import { When } from './when.tsx'
import { formatCount } from './words.tsx'

const pageSize = 50
const maxSize = 500

/** What each of the two ways has brought: how far pull has read, and what push never brought. */
export function Feed({ parameters: { kind = 'missed' } }: ScreenProps) {
  const [limit, setLimit] = useState(pageSize)
  const live = useLive(`${kind} ${limit}`, () => ask<FeedAnswer>('feed', { kind, limit }))
  return (
    <>
      <Head title="Feed" />
      <p class="lead">
        Events come by push, and by pull once something polls. What both bring is one entry.
      </p>
      <Shown live={live}>
        {({ counts, streams, restarts, gaps }) => (
          <>
            <Pause gaps={counts} />
            <section aria-labelledby="streams-title">
              <h2 id="streams-title">What is polled</h2>
              {streams.length === 0 && (
                <p class="empty">
                  Nothing is. What push loses in a longer outage only comes by pull: start a poller
                  (createPoller of @feed-receiver/client) on this inbox.
                </p>
              )}
              <ul class="cards">
                {streams.map((stream) => (
                  <PollStream
                    key={stream.stream}
                    stream={stream}
                    restarts={restarts.filter((gap) => gap.stream === stream.stream)}
                  />
                ))}
              </ul>
            </section>
            <section aria-labelledby="gaps-title">
              <div class="section-head">
                <h2 id="gaps-title">What push never brought</h2>
                <Segments
                  label="Show"
                  choices={[
                    ['missed', `Missed ${counts ? formatCount(counts.missed) : ''}`],
                    ['pull_only', `All only by pull ${counts ? formatCount(counts.pullOnly) : ''}`],
                  ]}
                  value={kind}
                  onChoose={(chosen) => replaceRoute('feed', { kind: chosen })}
                />
              </div>
              <Gaps gaps={gaps.gaps} isMissed={kind === 'missed'} />
              {gaps.next !== null && limit < maxSize && (
                <More onMore={() => setLimit(Math.min(limit + pageSize, maxSize))} />
              )}
            </section>
          </>
        )}
      </Shown>
    </>
  )
}

/** What pull has brought and push has not; `isMissed` if only what the delivery rules push. */
function Gaps({ gaps, isMissed }: { gaps: GapRow[]; isMissed: boolean }) {
  return (
    <>
      <p class="lead">
        {isMissed
          ? 'Your delivery rules push these, and yet only pull has brought them. Each was handled like any other.'
          : 'These came by pull alone, whether or not your delivery rules push them.'}{' '}
        An event counts 90 minutes after it was pulled: by then no attempt to push it can come.
      </p>
      <Table
        label="Events"
        head={['Event', 'Provider', 'Pulled']}
        rows={gaps}
        none={isMissed ? 'Nothing is known to be missed.' : 'There is none.'}
        cells={cellsOf}
        main={0}
      />
    </>
  )
}

function cellsOf({ eventId, title, type, provider, pulledAt, expected }: GapRow) {
  return [
    <RowLink href={linkTo('entry', { id: eventId })} title={title}>
      <Foreign text={type} />
      {expected === null && ' · nobody has said whether it is pushed'}
    </RowLink>,
    <Foreign text={provider} />,
    <When at={pulledAt} />,
  ]
}
