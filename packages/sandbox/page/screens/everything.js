import { act } from '../api.js'
import { confirmThat } from '../dialogs.js'
import { h } from '../element.js'
import { action, notify } from '../notices.js'

/** All of it, to keep or to begin again. */
export function everything(place) {
  place.append(
    h(
      'div',
      { class: 'panel' },
      h('h2', {}, 'Export'),
      h(
        'p',
        {},
        'Clock, accounts, events, what happened to them, and private events. No key and no secret is in it.',
      ),
      h(
        'div',
        { class: 'tools' },
        h(
          'a',
          { class: 'button', href: '/_sandbox/api/export', download: 'sandbox.json' },
          'Export as JSON',
        ),
      ),
    ),
    h(
      'div',
      { class: 'panel' },
      h('h2', {}, 'Reset'),
      h(
        'p',
        {},
        'Deletes events, private events, deliveries and the journals of requests and destinations, fills the feed with its history again, and begins new allowances. Accounts, keys, destinations, fault rules and the clock stay.',
      ),
      h('div', { class: 'tools' }, action('Reset', reset, { class: 'danger' })),
    ),
  )
}

async function reset() {
  const isSure = await confirmThat({
    title: 'Begin again?',
    text: 'Events, deliveries and journals are deleted. Accounts, keys, destinations, fault rules and the clock stay.',
    label: 'Reset',
  })
  if (!isSure) return
  await act('reset')
  notify('The feed begins again with its history.')
}
