import type { Activity, InboxHealth, OperationRow } from '@feed-receiver/inbox'
import type { ComponentChildren } from 'preact'
import type { OverviewAnswer } from '../../src/views.ts'
import { ask } from './api.ts'
import { formatCount, formatNumber } from './numbers.ts'
import { OperationLine } from './operation-line.tsx'
import { Pause } from './pause.tsx'
import { Plot } from './plot.tsx'
import { isSilent } from './poll-stream.tsx'
import { Problem } from './problem.tsx'
import { linkTo, replaceRoute } from './route.ts'
import type { ScreenProps } from './screens.tsx'
import { useLive } from './use-live.ts'
import { formatDuration, When } from './when.tsx'

const ranges = [
  { hours: '6', label: '6 hours' },
  { hours: '24', label: '24 hours' },
  { hours: '168', label: '7 days' },
]

/** How the inbox is, and what came lately. */
export function Overview({ parameters }: ScreenProps) {
  const hours = parameters['hours'] ?? '24'
  const live = useLive(hours, () => ask<OverviewAnswer>('overview', { hours }), 5_000)
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>Overview</h1>
        <div class="segments" role="group" aria-label="Time shown">
          {ranges.map((range) => (
            <button
              key={range.hours}
              aria-pressed={range.hours === hours}
              onClick={() => replaceRoute(linkTo('overview', { hours: range.hours }))}
            >
              {range.label}
            </button>
          ))}
        </div>
      </div>
      <Problem error={live.error} />
      {live.answer && <Answer {...live.answer} />}
    </>
  )
}

function Answer({ health, activity, operations }: OverviewAnswer) {
  return (
    <>
      <Pause gaps={health.gaps} hasLink />
      <Verdict health={health} />
      <Figures health={health} activity={activity} />
      <section aria-labelledby="plot-title">
        <h2 id="plot-title">Events by type</h2>
        <Plot activity={activity} />
        {!activity.isExact && <p class="hint">So many came that only the latest are shown.</p>}
      </section>
      {operations.length > 0 && <Operations operations={operations} />}
    </>
  )
}

/** What somebody should look at first, in a sentence each. */
function Verdict({ health }: { health: InboxHealth }) {
  const { ok, database, error, dead, quarantined, backlog, gaps, streams } = health
  if (!ok) {
    const what = database === 'down' ? 'database' : 'queue'
    return (
      <p class="verdict bad" role="alert">
        The {what} cannot be reached ({error}). Deliveries are answered with 503 and sent again.
      </p>
    )
  }
  const oldest = backlog?.oldestAgeSeconds ?? 0
  const concerns = [
    dead && dead.count > 0 && (
      <a href={linkTo('entries', { state: 'dead' })}>
        {formatCount(dead)} {dead.count === 1 ? 'entry is' : 'entries are'} dead
      </a>
    ),
    quarantined && quarantined.count > 0 && (
      <a href={linkTo('quarantine')}>{formatCount(quarantined)} in quarantine</a>
    ),
    oldest > lateSeconds && (
      <a href={linkTo('entries', { state: 'received' })}>
        the oldest entry has waited for {formatDuration(oldest)}
      </a>
    ),
    gaps && gaps.missed.count > 0 && !gaps.probablePause && (
      <a href={linkTo('feed')}>{formatCount(gaps.missed)} missed by push</a>
    ),
    streams?.some((stream) => stream.phase === 'suspended' || isSilent(stream)) && (
      <a href={linkTo('feed')}>the feed is not polled</a>
    ),
  ].filter(Boolean)
  if (concerns.length === 0 && gaps?.probablePause) return null
  if (concerns.length === 0) return <p class="verdict good">All is well.</p>
  return (
    <p class="verdict look">
      <span>Worth a look:</span>
      {concerns}
    </p>
  )
}

/** After what time an entry should have been handled. */
const lateSeconds = 15 * 60

function Figures({ health, activity }: { health: InboxHealth; activity: Activity }) {
  const { backlog, dead, quarantined, gaps, streams } = health
  const sum = (of: (step: Activity['steps'][number]) => number) =>
    formatNumber(activity.steps.reduce((total, step) => total + of(step), 0))
  const pulled = sum((step) => step.pulled)
  const isPolled = streams !== null && streams.length > 0
  const lastPollAt = streams
    ?.flatMap(({ polledAt }) => polledAt ?? [])
    .toSorted()
    .at(-1)
  const oldest = backlog?.oldestAgeSeconds ?? null
  return (
    <dl class={`figures ${isPolled ? 'wide' : ''}`}>
      <Figure
        label="Accepted"
        link={linkTo('entries')}
        {...(pulled !== '0' && { hint: `${pulled} only by pull` })}
      >
        {sum(({ accepted }) => accepted)}
      </Figure>
      <Figure label="Handled" link={linkTo('entries', { state: 'done' })}>
        {sum(({ accepted, state }) => (state === 'done' ? accepted : 0))}
      </Figure>
      <Figure label="Repeats absorbed">{sum(({ duplicates }) => duplicates)}</Figure>
      <Figure
        label="Waiting"
        {...(oldest !== null && { hint: `the oldest for ${formatDuration(oldest)}` })}
      >
        {backlog ? formatCount(backlog.waiting) : '–'}
      </Figure>
      <Figure label="Failing" tone={activity.failing.count > 0 ? 'warn' : ''}>
        {formatCount(activity.failing)}
      </Figure>
      <Figure
        label="Dead"
        link={linkTo('entries', { state: 'dead' })}
        tone={dead && dead.count > 0 ? 'bad' : ''}
      >
        {dead ? formatCount(dead) : '–'}
      </Figure>
      <Figure
        label="In quarantine"
        link={linkTo('quarantine')}
        tone={quarantined && quarantined.count > 0 ? 'warn' : ''}
      >
        {quarantined ? formatCount(quarantined) : '–'}
      </Figure>
      {isPolled && (
        <Figure
          label="Missed by push"
          link={linkTo('feed')}
          tone={gaps && gaps.missed.count > 0 ? 'warn' : ''}
        >
          {gaps ? formatCount(gaps.missed) : '–'}
        </Figure>
      )}
      <Figure label="Last delivery" isText>
        {activity.lastDeliveryAt === null ? 'none yet' : <When at={activity.lastDeliveryAt} />}
      </Figure>
      {isPolled && (
        <Figure label="Last poll" link={linkTo('feed')} isText>
          {lastPollAt === undefined ? 'none yet' : <When at={lastPollAt} />}
        </Figure>
      )}
    </dl>
  )
}

interface FigureProps {
  label: string
  link?: string
  hint?: string
  tone?: '' | 'warn' | 'bad'
  /** Whether it is words rather than a number. */
  isText?: boolean
  children: ComponentChildren
}

function Figure({ label, link, hint, tone = '', isText = false, children }: FigureProps) {
  return (
    <div class={`figure ${tone}`}>
      <dt>{link === undefined ? label : <a href={link}>{label}</a>}</dt>
      <dd class={isText ? 'words' : ''}>{children}</dd>
      {hint !== undefined && <dd class="hint">{hint}</dd>}
    </div>
  )
}

function Operations({ operations }: { operations: OperationRow[] }) {
  return (
    <section aria-labelledby="operations-title">
      <h2 id="operations-title">Done by people</h2>
      <ul class="lines">
        {operations.map((operation) => (
          <OperationLine key={operation.id} operation={operation} />
        ))}
      </ul>
    </section>
  )
}
