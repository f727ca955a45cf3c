import { act, find } from '../api.js'
import { h } from '../element.js'
import { empty, facts, live, state, table } from '../live.js'
import { action, notify } from '../notices.js'
import { formatDuration, formatTime, sandboxNow, when } from '../times.js'

/** One delivery, with every attempt. */
export function delivery(place, params, heading) {
  const id = params.get('id') ?? ''
  heading.textContent = `Delivery ${id}`
  return live(
    place,
    () => find('delivery', { id }),
    (found) =>
      found ? show(found) : empty('There is no such delivery. A reset may have taken it away.'),
  )
}

function show(found) {
  const { id, kind, eventId, endedAt, nextAttemptAt, attemptList } = found
  const canResend = kind !== 'test' && endedAt !== null
  return [
    facts(
      [
        ['State', state(found.state)],
        found.reason && ['Why', found.reason.replaceAll('_', ' ')],
        ['Kind', kind],
        ['Event', h('a', { href: `#/event?id=${encodeURIComponent(eventId)}` }, eventId)],
        ['Destination', h('a', { href: '#/destinations' }, found.destinationId)],
        nextAttemptAt && ['Next attempt', when(nextAttemptAt)],
      ].filter(Boolean),
    ),
    h(
      'div',
      { class: 'tools' },
      nextAttemptAt &&
        action('Advance the clock to it', () => advanceTo(nextAttemptAt), { class: 'primary' }),
      canResend && action('Send again', () => resend(id)),
    ),
    h('section', {}, h('h2', {}, 'Attempts'), attempts(attemptList)),
    h(
      'section',
      {},
      h('h2', {}, 'Body'),
      h('pre', { class: 'raw', tabindex: '0' }, pretty(found.body)),
    ),
  ]
}

function attempts(list) {
  if (list.length === 0) return empty('None was made yet.')
  const rows = list.map((one) => [
    String(one.attempt),
    [
      formatTime(one.startedAt),
      one.durationMs !== null &&
        h('span', { class: 'under' }, `took ${formatDuration(one.durationMs)}`),
    ],
    [
      one.outcome === null
        ? state('in_flight', 'under way')
        : state(`outcome-${one.outcome}`, one.outcome),
      one.fault && h('span', { class: 'under' }, `fault: ${one.fault.replaceAll('_', ' ')}`),
    ],
    [
      one.status === null ? (one.errorCode ?? '–') : String(one.status),
      (one.errorMessage ?? one.responseBody) &&
        h('span', { class: 'under' }, one.errorMessage ?? one.responseBody),
    ],
    [
      one.nextDelayMs === null ? '–' : `${formatDuration(one.nextDelayMs)} later`,
      one.retryAfter && h('span', { class: 'under' }, `Retry-After: ${one.retryAfter}`),
    ],
  ])
  return table(['Attempt', 'At', 'Outcome', 'Answer', 'Next'], rows, 'Attempts')
}

async function advanceTo(time) {
  await act('move-clock', {
    to: 'advance',
    byMs: Math.max(0, Math.ceil(Date.parse(time) - sandboxNow())),
  })
}

async function resend(id) {
  const { id: next } = await act('resend-delivery', { id })
  notify('It is sent once more.')
  location.hash = `#/delivery?id=${next}`
}

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
