import type { FeedAnswer } from '../../src/views.ts'
import { useState } from 'preact/hooks'
import { ask } from './api.ts'
import { GapRows } from './gap-rows.tsx'
import { formatCount } from './numbers.ts'
import { Pause } from './pause.tsx'
import { PollStream } from './poll-stream.tsx'
import { Problem } from './problem.tsx'
import { linkTo, replaceRoute } from './route.ts'
import type { ScreenProps } from './screens.tsx'
import { useLive } from './use-live.ts'

const kinds = [
  ['missed', 'Missed'],
  ['pull_only', 'All only by pull'],
] as const

const pageSize = 50
const maxSize = 500

/** What each of the two ways has brought: how far pull has read, and what push never brought. */
export function Feed({ parameters }: ScreenProps) {
  const kind = parameters['kind'] ?? 'missed'
  const [limit, setLimit] = useState(pageSize)
  const live = useLive(`${kind} ${limit}`, () => ask<FeedAnswer>('feed', { kind, limit }))
  const { answer } = live
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>Feed</h1>
      </div>
      <p class="lead">
        Events come by push, and by pull once something polls. What both bring is one entry.
      </p>
      <Problem error={live.error} />
      {answer && (
        <>
          <Pause gaps={answer.counts} />
          <section aria-labelledby="streams-title">
            <h2 id="streams-title">What is polled</h2>
            {answer.streams.length === 0 && (
              <p class="empty">
                Nothing is. What push loses in a longer outage only comes by pull: start a poller
                (createPoller of @feed-receiver/client) on this inbox.
              </p>
            )}
            <ul class="cards">
              {answer.streams.map((stream) => (
                <PollStream
                  key={stream.stream}
                  stream={stream}
                  restarts={answer.restarts.filter((gap) => gap.stream === stream.stream)}
                />
              ))}
            </ul>
          </section>
          <section aria-labelledby="gaps-title">
            <div class="section-head">
              <h2 id="gaps-title">What push never brought</h2>
              <div class="segments small" role="group" aria-label="Show">
                {kinds.map(([name, label]) => (
                  <button
                    key={name}
                    aria-pressed={name === kind}
                    onClick={() => replaceRoute(linkTo('feed', { kind: name }))}
                  >
                    {label}
                    {answer.counts &&
                      ` ${formatCount(name === 'missed' ? answer.counts.missed : answer.counts.pullOnly)}`}
                  </button>
                ))}
              </div>
            </div>
            <div class={live.isStale ? 'stale' : ''}>
              <GapRows gaps={answer.gaps.gaps} isMissed={kind === 'missed'} />
            </div>
            {answer.gaps.next !== null && limit < maxSize && (
              <p class="more">
                <button onClick={() => setLimit(Math.min(limit + pageSize, maxSize))}>
                  Show more
                </button>
              </p>
            )}
          </section>
        </>
      )}
    </>
  )
}
