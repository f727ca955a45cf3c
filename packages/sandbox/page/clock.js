import { act, ask } from './api.js'
import { h, replace } from './element.js'
import { field, form, select, text } from './forms.js'
import { action } from './notices.js'
import { formatDuration, formatTime, sandboxNow, setNow } from './times.js'

const second = 1000
const steps = [
  ['+10 s', 10 * second],
  ['+1 min', 60 * second],
  ['+1 h', 3600 * second],
  ['+1 day', 86_400 * second],
]

/** The sandbox's time, which every screen shows and can move. Gives what reads it anew. */
export function clock(place) {
  const time = h('strong', { class: 'clock-time' })
  const how = h('span', { class: 'muted' })
  const tools = h('div', { class: 'clock-tools' })
  const bar = h('div', { class: 'clock-bar' }, h('div', { class: 'clock-now' }, time, how), tools)
  replace(place, h('section', { class: 'clock', 'aria-label': 'Clock' }, bar, more()))
  let shown = ''
  setInterval(showTime, 250)

  return async () => {
    const read = await ask('clock')
    setNow(read)
    showTime()
    how.textContent = describe(read)
    const look = `${read.isFrozen} ${read.shiftMs === 0}`
    if (look !== shown) replace(tools, buttons(read))
    shown = look
  }

  function showTime() {
    const now = formatTime(sandboxNow())
    if (time.textContent !== now) time.textContent = now
  }
}

function buttons({ isFrozen, shiftMs }) {
  return [
    steps.map(([label, byMs]) => action(label, () => move({ to: 'advance', byMs }))),
    isFrozen
      ? action('Run', () => move({ to: 'unfreeze' }), { 'data-key': 'freeze' })
      : action('Freeze', () => move({ to: 'freeze' }), { 'data-key': 'freeze' }),
    (isFrozen || shiftMs !== 0) && action('Real time', () => move({ to: 'reset' })),
  ]
}

function more() {
  const units = [
    ['1000', 'seconds'],
    ['60000', 'minutes'],
    ['3600000', 'hours'],
    ['86400000', 'days'],
  ]
  const shift = form(
    'Shift',
    [
      field('Shift by', text('count', { type: 'number', required: true, value: 1 })),
      field('Unit', select('unit', units, '3600000')),
    ],
    ({ count, unit }) => move({ to: 'shift', byMs: Number(count) * Number(unit) }),
    { isKept: true },
  )
  const freeze = form(
    'Freeze there',
    [field('Freeze at (UTC)', text('at', { type: 'datetime-local', step: 1, required: true }))],
    ({ at }) => move({ to: 'freeze', at: new Date(`${at}Z`).toISOString() }),
    { isKept: true },
  )
  const hint = 'Limits, due times and rotations go by this clock. Below zero it goes back.'
  return h(
    'details',
    { class: 'clock-more' },
    h('summary', {}, 'Another time'),
    h('div', { class: 'clock-forms' }, shift, freeze),
    h('p', { class: 'hint' }, hint),
  )
}

async function move(to) {
  setNow(await act('move-clock', to))
}

function describe({ isFrozen, shiftMs }) {
  if (isFrozen) return 'stands still'
  if (Math.abs(shiftMs) < second) return 'real time'
  return `${formatDuration(shiftMs)} ${shiftMs > 0 ? 'ahead of' : 'behind'} real time`
}
