import { act, ask, find } from '../api.js'
import { confirmThat } from '../dialogs.js'
import { foreignLink, h, replace } from '../element.js'
import { field, form, given, text } from '../forms.js'
import { empty, facts, live } from '../live.js'
import { action, notify } from '../notices.js'
import { when } from '../times.js'
import { showDeliveries } from './deliveries.js'
import { marks } from './feed.js'

/** One event as it is now, and what can become of it. */
export function event(place, params, heading) {
  const id = params.get('id') ?? ''
  const shown = h('div', {})
  const correcting = h('div', {})
  const sent = h('div', {})
  place.append(shown, correcting, h('section', {}, h('h2', {}, 'Deliveries'), sent))
  let isCorrected
  const readEvent = live(
    shown,
    () => find('event', { id }),
    (found) => {
      if (!found) return empty('There is no such event. A reset may have taken it away.')
      heading.textContent = found.title
      // Left alone where nothing else is to be corrected, since somebody may be writing there.
      const look = JSON.stringify([found.title, found.summary, found.retractedAt])
      if (look !== isCorrected) replace(correcting, found.retractedAt ? [] : correction(found))
      isCorrected = look
      return showEvent(found)
    },
  )
  const readDeliveries = live(
    sent,
    async () => [await ask('deliveries', { eventId: id }), await ask('destinations')],
    ([list, targets]) => showDeliveries(list, targets, 'It was delivered nowhere.'),
  )
  return async () => {
    await readEvent()
    await readDeliveries()
  }
}

function showEvent(found) {
  const { id, confirmationState, retractedAt } = found
  const isOpen = !retractedAt
  return [
    h('p', { class: 'lead' }, found.summary ?? 'It has no summary.', ' ', marks(found)),
    h(
      'div',
      { class: 'tools' },
      isOpen &&
        confirmationState !== 'confirmed' &&
        action('Confirm', () => change({ to: 'confirm', id })),
      isOpen && action('Retract', () => retract(id)),
    ),
    facts([
      ['Type', found.eventType],
      ['Provider', found.providerSlug],
      ['Observed', when(found.firstObservedAt)],
      ['Evidence', found.evidenceState],
      ['Source', foreignLink(found.sourceUrl)],
      ['Id', h('code', {}, id)],
    ]),
    h(
      'details',
      {},
      h('summary', {}, 'As the API has it'),
      h('pre', { class: 'raw', tabindex: '0' }, JSON.stringify(found, null, 2)),
    ),
  ]
}

function correction({ id, title, summary }) {
  const fields = [
    field('Title', text('title', { value: title, required: true })),
    field('Summary', text('summary', { value: summary ?? '' })),
  ]
  const submit = (values) => {
    const content = { title: values.title, summary: given(values.summary) ?? null }
    return change({ to: 'correct', id, content })
  }
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Correct it'),
    form('Correct', fields, submit, { isKept: true }),
  )
}

async function retract(id) {
  const isSure = await confirmThat({
    title: 'Retract this event?',
    text: 'It stays in the feed and says since when it does not hold. That is final.',
    label: 'Retract',
  })
  if (isSure) await change({ to: 'retract', id })
}

async function change(to) {
  await act('change-event', to)
  notify('The feed has the change.')
}
