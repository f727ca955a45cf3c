import { act, ask } from '../api.js'
import { h, replace } from '../element.js'
import { field, form, given, givenNumber, options, select, text } from '../forms.js'
import { empty, live } from '../live.js'
import { action, tellFailure } from '../notices.js'

/** What is to go wrong. */
export function faults(place) {
  const delivering = h('div', { class: 'panel' })
  const answering = h('div', { class: 'panel' })
  const deliveryRules = h('div', {})
  const apiRules = h('div', {})
  place.append(
    h(
      'p',
      { class: 'lead' },
      'Have the service do wrong what services do wrong, and see what your app makes of it.',
    ),
    h('section', {}, h('h2', {}, 'Deliveries'), deliveryRules, delivering),
    h('section', {}, h('h2', {}, 'Answers of the API'), apiRules, answering),
  )
  void tellFailure(() => fillForms(delivering, answering))
  const readDelivery = live(
    deliveryRules,
    () => ask('delivery-faults'),
    (rules) =>
      rules.length === 0
        ? empty('Every delivery is as it should be.')
        : lines(rules.map(deliveryRule)),
  )
  const readApi = live(
    apiRules,
    () => ask('api-faults'),
    (rules) =>
      rules.length === 0 ? empty('Every answer is as it should be.') : lines(rules.map(apiRule)),
  )
  return async () => {
    await readDelivery()
    await readApi()
  }
}

async function fillForms(delivering, answering) {
  const choices = await ask('choices')
  const targets = await ask('destinations')
  fillDelivering(delivering, choices, targets)
  fillAnswering(answering, choices)
}

function fillAnswering(place, { apiFaults }) {
  const surface = select('surface', Object.keys(apiFaults))
  const kind = h('select', { name: 'kind' })
  const status = field('Status', select('status', ['500', '503'], '503'))
  const ms = { type: 'number', min: 1, max: 60_000, value: 1000 }
  const delay = field('Delay in ms', text('ms', ms))
  const showWhatCounts = () => {
    status.hidden = kind.value !== 'status'
    delay.hidden = kind.value !== 'delay'
  }
  const showWhatFits = () => {
    const chosen = kind.value
    const fitting = apiFaults[surface.value].map((name) => [name, name.replaceAll('_', ' ')])
    replace(kind, options(fitting, chosen))
    showWhatCounts()
  }
  surface.addEventListener('change', showWhatFits)
  kind.addEventListener('change', showWhatCounts)
  showWhatFits()
  const fields = [field('Address', surface), field('Fault', kind), status, delay, times()]
  replace(place, form('Add', fields, addApi, { isKept: true }))
}

function fillDelivering(place, { deliveryFaults }, targets) {
  const fault = select(
    'fault',
    deliveryFaults.map(({ name }) => [name, name.replaceAll('_', ' ')]),
  )
  const what = h('p', { class: 'hint wide' })
  const describe = () => {
    what.textContent = deliveryFaults.find(({ name }) => name === fault.value)?.does ?? ''
  }
  fault.addEventListener('change', describe)
  describe()
  const choices = [['', 'all'], ...targets.map(({ id, name }) => [id, name])]
  const fields = [
    field('Fault', fault),
    field('Destination', select('destinationId', choices)),
    times(),
    what,
  ]
  replace(place, form('Add', fields, addDelivery, { isKept: true }))
}

function times() {
  return field('How often', text('times', { type: 'number', min: 1, placeholder: 'always' }))
}

async function addDelivery({ fault, destinationId, times: count }) {
  await act('create-delivery-fault', {
    fault,
    destinationId: given(destinationId),
    times: givenNumber(count),
  })
}

async function addApi({ surface, kind, status, ms, times: count }) {
  const fault = {
    kind,
    ...(kind === 'status' && { status: Number(status) }),
    ...(kind === 'delay' && { ms: Number(ms) }),
  }
  await act('create-api-fault', { surface, fault, times: givenNumber(count) })
}

function deliveryRule({ id, fault, destinationId, timesLeft }) {
  const where = destinationId ?? 'every destination'
  return line(fault, where, timesLeft, () => act('delete-delivery-fault', { id }), `delivery ${id}`)
}

function apiRule({ id, surface, fault, timesLeft }) {
  const { kind, status, ms } = fault
  const more = status ?? (ms === undefined ? '' : `${ms} ms`)
  return line(
    `${kind} ${more}`,
    surface,
    timesLeft,
    () => act('delete-api-fault', { id }),
    `api ${id}`,
  )
}

function lines(items) {
  return h('ul', { class: 'lines' }, items)
}

function line(what, where, left, remove, key) {
  const often = left === null ? 'always' : left === 1 ? 'once more' : `${left} times more`
  return h(
    'li',
    {},
    h('span', {}, h('strong', {}, what.replaceAll('_', ' ')), ' ', where, ', ', often),
    action('Remove', remove, { class: 'quiet', 'data-key': key }),
  )
}
