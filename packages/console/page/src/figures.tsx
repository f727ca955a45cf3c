import type { Activity, InboxHealth } from '@feed-receiver/inbox'
import { formatNumber, linkTo } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import { formatDuration, When } from './when.tsx'
import { formatCount } from './words.tsx'

/** What came and what became of it, in numbers, each with a link to its entries. */
export function Figures({ health, activity }: { health: InboxHealth; activity: Activity }) {
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
