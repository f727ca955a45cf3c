import type { Activity, BoundedCount, InboxHealth } from '@feed-receiver/inbox'
import { formatNumber, linkTo } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import { formatAge, formatCount, When } from './words.tsx'

/** The numbers of received and handled events, each with a link to its entries. */
export function Figures({ health, activity }: { health: InboxHealth; activity: Activity }) {
  const { backlog, dead, quarantined, gaps, streams } = health
  const sum = (of: (step: Activity['steps'][number]) => number) =>
    formatNumber(activity.steps.reduce((total, step) => total + of(step), 0))
  const pulled = sum((step) => step.pulled)
  const oldest = backlog?.oldestAgeSeconds ?? null
  const isPolled = streams !== null && streams.length > 0
  const polls = (streams ?? []).flatMap(({ polledAt }) => polledAt ?? [])
  const lastPollAt = polls.toSorted().at(-1) ?? null
  return (
    <dl class={`box figures ${isPolled ? 'wide' : ''}`}>
      <Figure
        label="Accepted"
        link={linkTo('entries')}
        hint={pulled !== '0' && `${pulled} by pull only`}
      >
        {sum(({ accepted }) => accepted)}
      </Figure>
      <Figure label="Handled" link={linkTo('entries', { state: 'done' })}>
        {sum(({ accepted, state }) => (state === 'done' ? accepted : 0))}
      </Figure>
      <Figure label="Duplicates">{sum(({ duplicates }) => duplicates)}</Figure>
      <Figure
        label="Pending"
        count={backlog?.waiting}
        link={linkTo('entries', { state: 'received' })}
        hint={oldest !== null && `oldest: ${formatAge(oldest)}`}
      />
      <Figure
        label="Failing"
        count={activity.failing}
        tone="warn"
        link={linkTo('entries', { state: 'failing' })}
      />
      <Figure label="Dead" count={dead} tone="bad" link={linkTo('entries', { state: 'dead' })} />
      <Figure label="In quarantine" count={quarantined} tone="warn" link={linkTo('quarantine')} />
      {isPolled && (
        <Figure label="Missed by push" count={gaps?.missed} tone="warn" link={linkTo('feed')} />
      )}
      <Figure label="Last delivery" at={activity.lastDeliveryAt} />
      {isPolled && <Figure label="Last poll" at={lastPollAt} link={linkTo('feed')} />}
    </dl>
  )
}

interface FigureProps {
  label: string
  link?: string
  hint?: string | false
  /** The count; null if it is unknown. */
  count?: BoundedCount | null | undefined
  /** The look of a count above zero. */
  tone?: 'warn' | 'bad'
  /** The time of the last one, in words. */
  at?: string | null
  children?: ComponentChildren
}

function Figure({ label, link, hint, count, tone, at, children }: FigureProps) {
  const last = at === null ? 'none yet' : at && <When at={at} />
  return (
    <div class={`figure ${count && count.count > 0 ? (tone ?? '') : ''}`}>
      <dt>{link === undefined ? label : <a href={link}>{label}</a>}</dt>
      <dd class={last ? 'words' : ''}>{last ?? children ?? (count ? formatCount(count) : '–')}</dd>
      {hint && <dd class="hint">{hint}</dd>}
    </div>
  )
}
