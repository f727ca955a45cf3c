import { h, replace } from './element.js'

/**
 * Shows what is read, again each time that it has changed, but not while somebody fills in a form in
 * it. Gives what reads it anew.
 */
export function live(place, read, show) {
  let shown
  return async () => {
    const data = await read()
    const text = JSON.stringify(data)
    if (text === shown || isFilledIn(place)) return
    shown = text
    replace(place, show(data))
  }
}

function isFilledIn(place) {
  const at = document.activeElement
  return at !== null && place.contains(at) && at.matches('form input, form select')
}

export function empty(...children) {
  return h('p', { class: 'empty' }, ...children)
}

export function state(name, label = name.replaceAll('_', ' ')) {
  return h('span', { class: `state state-${name}` }, h('span', { class: 'dot' }), label)
}

export function table(head, rows, label) {
  return h(
    'table',
    { class: 'rows', 'aria-label': label },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        head.map((cell) => h('th', { scope: 'col' }, cell)),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map((cells) =>
        h(
          'tr',
          {},
          cells.map((cell, index) => h('td', { 'data-label': head[index] }, cell)),
        ),
      ),
    ),
  )
}

export function facts(pairs) {
  return h(
    'dl',
    { class: 'facts' },
    pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  )
}
