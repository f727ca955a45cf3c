import { h } from './element.js'

let reading = { at: Date.now(), readAt: performance.now(), isFrozen: false }

/** Takes over what the sandbox says of its clock. */
export function setNow({ now, isFrozen }) {
  reading = { at: Date.parse(now), readAt: performance.now(), isFrozen }
}

/** Milliseconds, by the sandbox's clock. */
export function sandboxNow() {
  return reading.at + (reading.isFrozen ? 0 : performance.now() - reading.readAt)
}

/** How long ago something was, or in what time it is, kept up to date; by the sandbox's clock. */
export function when(time) {
  if (time === null || time === undefined) return h('span', { class: 'muted' }, '–')
  const shown = h('time', { datetime: time, title: formatTime(time), 'data-at': Date.parse(time) })
  shown.textContent = relative(Date.parse(time))
  return shown
}

/** Writes every relative time on the page anew. */
export function refreshTimes() {
  for (const shown of document.querySelectorAll('time[data-at]')) {
    const text = relative(Number(shown.getAttribute('data-at')))
    if (shown.textContent !== text) shown.textContent = text
  }
}

export function formatTime(time) {
  return `${new Date(time).toISOString().replace('T', ' ').slice(0, 19)} UTC`
}

/** Such as "4 min 30 s". */
export function formatDuration(ms) {
  if (Math.abs(ms) < 1000) return `${Math.round(ms)} ms`
  let rest = Math.round(Math.abs(ms) / 1000)
  const parts = []
  for (const [unit, seconds] of units) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0) parts.push(`${count.toLocaleString('en')} ${unit}`)
  }
  return parts.slice(0, 2).join(' ')
}

const units = /** @type {const} */ ([
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
])

function relative(at) {
  const ms = at - sandboxNow()
  if (Math.abs(ms) < 1000) return 'now'
  return ms > 0 ? `in ${formatDuration(ms)}` : `${formatDuration(ms)} ago`
}
