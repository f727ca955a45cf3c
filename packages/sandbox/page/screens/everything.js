import { act, ask } from '../api.js'
import { confirmThat } from '../dialogs.js'
import { h } from '../element.js'
import { checkbox, field, form, select } from '../forms.js'
import { action, notify, tellFailure } from '../notices.js'

/** What goes for all of it, and all of it to keep or to begin again. */
export function everything(place) {
  const settings = h('div', { class: 'panel' })
  void fillSettings(settings)
  place.append(
    settings,
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

async function fillSettings(place) {
  await tellFailure(async () => {
    const { firstCursor, moveChanged } = await ask('settings')
    const cursors = [
      ['tail', 'to what comes after that page'],
      ['replay', 'to all history'],
    ]
    const fields = [
      field('The cursor of a first page leads', select('firstCursor', cursors, firstCursor)),
      h(
        'div',
        { class: 'checks wide' },
        checkbox('moveChanged', 'Changed events take a new place in the feed', moveChanged),
      ),
    ]
    const hint = 'Until the sandbox stops; it starts with its options again.'
    const shown = form('Save', fields, save, { isKept: true })
    place.append(h('h2', {}, 'Settings'), shown, h('p', { class: 'hint' }, hint))
  })
}

async function save(values) {
  const { firstCursor } = values
  await act('change-settings', { firstCursor, moveChanged: 'moveChanged' in values })
  notify('Saved.')
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
