import { ask } from '../api.js'
import { h, replace } from '../element.js'
import { field, select } from '../forms.js'
import { empty, live, state, table } from '../live.js'
import { tellFailure } from '../notices.js'
import { when } from '../times.js'

/** What was delivered, is being, or will be. */
export function deliveries(place, params) {
  const filters = h('div', { class: 'filters' })
  const list = h('div', {})
  const query = Object.fromEntries(
    ['destinationId', 'state'].map((name) => [name, params.get(name) ?? '']),
  )
  void tellFailure(() => fillFilters(filters, query))
  place.append(filters, list)
  return live(
    list,
    async () => [await ask('deliveries', query), await ask('destinations')],
    ([found, targets]) => showDeliveries(found, targets, 'No delivery is like this.'),
  )
}

async function fillFilters(place, query) {
  const { deliveryStates } = await ask('choices')
  const targets = await ask('destinations')
  const choices = [['', 'every destination'], ...targets.map(({ id, name }) => [id, name])]
  const destination = select('destinationId', choices, query.destinationId)
  const named = deliveryStates.map((name) => [name, name.replaceAll('_', ' ')])
  const inState = select('state', [['', 'every state'], ...named], query.state)
  for (const control of [destination, inState]) control.addEventListener('change', go)
  replace(place, field('Destination', destination), field('State', inState))

  function go() {
    const chosen = { destinationId: destination.value, state: inState.value }
    const next = Object.entries(chosen).filter(([, value]) => value !== '')
    location.hash = `#/deliveries?${new URLSearchParams(next)}`
  }
}

export function showDeliveries(found, targets, none) {
  if (found.length === 0) return empty(none)
  const names = new Map(targets.map(({ id, name }) => [id, name]))
  const rows = found.map((one) => [
    state(one.state),
    [
      h(
        'a',
        { class: 'row-link', href: `#/delivery?id=${one.id}`, 'data-key': one.id },
        one.eventId,
      ),
      h('span', { class: 'under' }, describe(one)),
    ],
    names.get(one.destinationId) ?? 'deleted',
    lastAnswer(one),
    one.nextAttemptAt === null
      ? when(one.endedAt ?? one.createdAt)
      : ['due ', when(one.nextAttemptAt)],
  ])
  return table(['State', 'Delivery', 'Destination', 'Last answer', 'When'], rows, 'Deliveries')
}

function describe({ kind, attempts, reason }) {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const parts = [kind === 'live' ? undefined : kind, tries, reason?.replaceAll('_', ' ')]
  return parts.filter(Boolean).join(' · ')
}

export function lastAnswer({ lastStatus, lastErrorCode }) {
  return String(lastStatus ?? lastErrorCode ?? '–')
}
