import { ask } from '../api.js'
import { h } from '../element.js'
import { empty, live, table } from '../live.js'
import { formatTime } from '../times.js'

/** Every answered request, with why it was refused. */
export function requests(place) {
  const list = h('div', {})
  const refused = h('input', {
    type: 'checkbox',
    onchange: () => document.dispatchEvent(new Event('changed')),
  })
  place.append(
    h(
      'p',
      { class: 'lead' },
      'Every request to the API and every change on this page, the newest first.',
    ),
    h('label', { class: 'check' }, refused, 'Only what was refused'),
    list,
  )
  return live(
    list,
    async () => {
      const found = await ask('requests', { limit: 200 })
      return refused.checked ? found.filter(({ reason }) => reason !== null) : found
    },
    show,
  )
}

function show(found) {
  if (found.length === 0) return empty('Nothing was asked yet.')
  const rows = found.map(({ status, at, method, path, reason, detail, keyDisplay, charged }) => [
    h('span', { class: status < 400 ? 'status' : 'status bad' }, status),
    [
      h('code', {}, `${method} ${path}`),
      reason !== null && h('span', { class: 'under' }, h('strong', {}, reason), ' ', detail),
    ],
    keyDisplay === null ? '–' : h('code', {}, keyDisplay),
    charged ? 'charged' : '–',
    formatTime(at),
  ])
  return table(['Status', 'Request', 'Key', 'Allowance', 'At'], rows, 'Requests')
}
