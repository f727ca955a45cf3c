import { act, ask } from '../api.js'
import { h } from '../element.js'
import { field, form, given, select, text } from '../forms.js'
import { empty, live, table } from '../live.js'
import { notify } from '../notices.js'
import { when } from '../times.js'

/** What is in the feed, and what is to come next. */
export function feed(place) {
  const list = h('div', {})
  const composer = h('div', { class: 'panel' })
  void fillComposer(composer)
  place.append(composer, h('section', {}, h('h2', {}, 'The newest events'), list))
  return live(list, () => ask('events', { limit: 60 }), showEvents)
}

export async function fillComposer(place) {
  const { eventTypes, providers } = await ask('choices')
  const more = h('textarea', { name: 'more', rows: 4, placeholder: '{"category": "models"}' })
  const fields = [
    field('Type', select('eventType', eventTypes, 'release_note')),
    field('Provider', select('providerSlug', [['', 'any'], ...providers])),
    field('Confirmation', select('confirmationState', ['confirmed', 'unconfirmed'])),
    field('Title', text('title', { placeholder: 'made up' })),
    h('details', { class: 'wide' }, h('summary', {}, 'Other members'), field('As JSON', more)),
  ]
  place.append(h('h2', {}, 'Publish an event'), form('Publish', fields, publish))
}

async function publish({ eventType, providerSlug, confirmationState, title, more }) {
  const draft = {
    eventType,
    confirmationState,
    providerSlug: given(providerSlug),
    title: given(title),
    ...readJson(more),
  }
  const { title: published } = await act('compose-event', draft)
  notify(`Published: ${published}`)
}

function readJson(written) {
  if (given(written) === undefined) return {}
  try {
    return JSON.parse(written)
  } catch {
    throw new Error('The other members are no JSON. Correct them, or leave them out.')
  }
}

function showEvents(events) {
  if (events.length === 0) return empty('Nothing was published yet.')
  const rows = events.map((event) => [
    [
      h(
        'a',
        {
          class: 'row-link',
          href: `#/event?id=${encodeURIComponent(event.id)}`,
          'data-key': event.id,
        },
        event.title,
      ),
      h('span', { class: 'under' }, event.eventType, marks(event)),
    ],
    event.providerSlug,
    when(event.firstObservedAt),
  ])
  return table(['Event', 'Provider', 'Observed'], rows, 'Events')
}

export function marks({ confirmationState, correctedAt, retractedAt }) {
  return [
    confirmationState !== 'confirmed' && h('span', { class: 'tag warn' }, 'early signal'),
    correctedAt && h('span', { class: 'tag' }, 'corrected'),
    retractedAt && h('span', { class: 'tag bad' }, 'retracted'),
  ]
}
