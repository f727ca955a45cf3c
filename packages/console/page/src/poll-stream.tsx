import type { HealthProblem, StreamGapRow, StreamPhase } from '@feed-receiver/inbox'
import { Untrusted, formatNumber, State } from '@feed-receiver/page-kit'
import type { ViewAnswer } from '../../src/views.ts'
import { formatTime, Id, When } from './words.tsx'

interface PollStreamProps {
  stream: ViewAnswer<'feed'>['streams'][number]
  /** The warnings of streams that no poller reads. */
  silent: readonly HealthProblem[]
  restarts: readonly StreamGapRow[]
}

const phases: Record<StreamPhase, { word: string; tone: string }> = {
  first_run: { word: 'Starting', tone: 'running' },
  catching_up: { word: 'Catching up', tone: 'running' },
  tailing: { word: 'Up to date', tone: 'done' },
  waiting: { word: 'Waiting', tone: 'retrying' },
  suspended: { word: 'Suspended', tone: 'dead' },
}

const maxRestarts = 5

/**
 * One stream of the pull API: how far it is read, the account's usage of its month, and when its
 * cursor was lost, newest first.
 */
export function PollStream({ stream, silent, restarts }: PollStreamProps) {
  const { phase, code, fix, waitUntil, polledAt, rereadAt, usage } = stream
  const { word, tone } = phases[phase]
  return (
    <li class="card">
      <div class="card-head">
        <h3>
          <Id text={stream.stream} />
        </h3>
        <State name={tone} label={word} />
      </div>
      {code !== null && (
        <p>
          {fix} (<Untrusted text={code} />)
          {waitUntil !== null && [' Next attempt ', <When at={waitUntil} />, '.']}
        </p>
      )}
      {silent
        .filter(({ message }) => message.includes(` ${stream.stream} `))
        .map(({ message }) => (
          <p key={message} class="problem">
            <Untrusted text={message} />
          </p>
        ))}
      <p class="under">
        {polledAt === null ? 'Never polled' : ['Polled ', <When at={polledAt} />]}
        {rereadAt !== null && [' · checked for changes ', <When at={rereadAt} />]}
      </p>
      {usage && (
        <div class="usage">
          <progress
            value={usage.requests}
            max={usage.limit}
            aria-label="Requests used this month"
          />
          <p class="under">
            {formatNumber(usage.requests)} of {formatNumber(usage.limit)} requests used this month,
            resets <When at={usage.resetsAt} />
          </p>
        </div>
      )}
      {restarts.slice(0, maxRestarts).map(({ id, since, until, code: cause }) => (
        <p key={id} class="lost">
          The service rejected the cursor (<Untrusted text={cause} />
          ), so the poller started again. Events may be missing{' '}
          {since === null ? 'from before' : `between ${formatTime(since)} and`} {formatTime(until)}.
        </p>
      ))}
    </li>
  )
}
