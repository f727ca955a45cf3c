import { act, ask } from '../api.js'
import { confirmThat, showOnce } from '../dialogs.js'
import { h, replace } from '../element.js'
import { field, form, given, givenList, select, text } from '../forms.js'
import { empty, facts, live, state } from '../live.js'
import { action, notify, tellFailure } from '../notices.js'
import { when } from '../times.js'

/** Where alerts go. */
export function destinations(place) {
  const list = h('div', { class: 'cards' })
  const creating = h('div', { class: 'panel' })
  const log = h('ul', { class: 'lines' })
  place.append(list, creating, h('section', {}, h('h2', {}, 'What became of them'), log))
  void tellFailure(() => fillForm(creating))
  const readList = live(
    list,
    () => ask('destinations'),
    (found) => (found.length === 0 ? empty('There is no destination yet.') : found.map(card)),
  )
  const readLog = live(
    log,
    () => ask('destination-changes', { limit: 20 }),
    (changes) =>
      changes.map(({ destinationId, at, change, detail }) =>
        h(
          'li',
          {},
          h(
            'span',
            {},
            h('strong', {}, change.replaceAll('_', ' ')),
            ' ',
            detail ?? '',
            ' ',
            h('code', { class: 'muted' }, destinationId),
          ),
          when(at),
        ),
      ),
  )
  return async () => {
    await readList()
    await readLog()
  }
}

async function fillForm(place) {
  const accounts = await ask('accounts')
  const fields = [
    field('Name', text('name', { required: true, placeholder: 'My app' })),
    field(
      'URL',
      text('url', {
        required: true,
        type: 'url',
        placeholder: 'http://localhost:3000/webhooks/feed',
      }),
    ),
    accounts.length > 1 &&
      field(
        'Account',
        select(
          'accountId',
          accounts.map(({ id, name }) => [id, name]),
        ),
      ),
    h(
      'details',
      { class: 'wide' },
      h('summary', {}, 'Rules and secret'),
      h(
        'div',
        { class: 'form' },
        ruleFields({}),
        field('Signing secret', text('secret', { placeholder: 'a new one' })),
      ),
    ),
  ]
  const first = accounts[0]?.id
  replace(
    place,
    h('h2', {}, 'New destination'),
    form('Create', fields, (values) => create(values, first)),
  )
}

function ruleFields({ providers = [], categories = [], types = [], confirmation = 'confirmed' }) {
  const list = (label, name, value) =>
    field(label, text(name, { value: value.join(', '), placeholder: 'all' }))
  return [
    list('Providers', 'providers', providers),
    list('Categories', 'categories', categories),
    list('Types', 'types', types),
    field('Confirmation', select('confirmation', ['confirmed', 'all'], confirmation)),
  ]
}

/** @param {Record<string, any>} values */
function readRules({ providers, categories, types, confirmation }) {
  return {
    providers: givenList(providers),
    categories: givenList(categories),
    types: givenList(types),
    confirmation,
  }
}

/** @param {Record<string, any>} values */
async function create(values, first) {
  const { name, url, accountId, secret: own } = values
  const input = {
    accountId: accountId ?? first,
    name,
    url,
    secret: given(own),
    rules: readRules(values),
  }
  const { secret } = await act('create-destination', input)
  if (secret === null) return notify('Made. Messages for it are shown with its deliveries.')
  document.dispatchEvent(new Event('changed'))
  await showOnce({ title: 'The signing secret', text: forTheFirst, value: secret })
}

function card(target) {
  const { id, name, address, kind, newSecretAt, rules } = target
  const all = (list) => (list.length === 0 ? 'all' : list.join(', '))
  return h(
    'article',
    { class: 'card', 'aria-label': name },
    h('div', { class: 'card-head' }, h('h2', {}, name), state(target.state)),
    h('p', { class: 'under' }, kind === 'signed' ? '' : `${kind} · `, address),
    h('p', { class: 'under' }, `${target.state} since `, when(target.stateChangedAt)),
    facts(
      [
        ['Providers', all(rules.providers)],
        ['Categories', all(rules.categories)],
        ['Types', all(rules.types)],
        ['Confirmation', rules.confirmation],
        newSecretAt && ['The new secret signs', when(newSecretAt)],
      ].filter(Boolean),
    ),
    h(
      'div',
      { class: 'tools' },
      action(target.state === 'active' ? 'Test' : 'Test and activate', () => test(id), {
        class: target.state === 'active' ? '' : 'primary',
        'data-key': `test ${id}`,
      }),
      target.state === 'active' && action('Pause', () => act('pause-destination', { id })),
      kind === 'signed' && rotation(target),
      h('a', { class: 'button', href: `#/deliveries?destinationId=${id}` }, 'Deliveries'),
      action('Delete', () => remove(target), { class: 'quiet', 'data-key': `delete ${id}` }),
    ),
    h(
      'details',
      {},
      h('summary', { 'data-key': `rules ${id}` }, 'Change its rules'),
      form(
        'Save',
        [field('Name', text('name', { value: name, required: true })), ...ruleFields(rules)],
        (values) => act('change-destination', { id, name: values.name, rules: readRules(values) }),
        { isKept: true },
      ),
    ),
  )
}

function rotation({ id, newSecretAt }) {
  if (newSecretAt !== null)
    return action('Cancel the rotation', () => act('cancel-rotation', { id }))
  return action('Rotate the secret', async () => {
    const { secret } = await act('rotate-secret', { id })
    document.dispatchEvent(new Event('changed'))
    await showOnce({ title: 'The new signing secret', text: forTheNext, value: secret })
  })
}

async function test(id) {
  const { isAccepted, status, errorCode, cause } = await act('test-destination', { id })
  const why = status === null ? (errorCode ?? cause) : `it answered ${status}`
  if (!isAccepted) throw new Error(`The test was not accepted: ${why}.`)
  notify(
    status === null
      ? 'The message was made. It is shown with its deliveries.'
      : `The test was accepted with ${status}.`,
  )
}

async function remove({ id, name }) {
  const isSure = await confirmThat({
    title: `Delete ${name}?`,
    text: 'Its address and secrets are erased, and what is pending for it is cancelled.',
    label: 'Delete',
  })
  if (isSure) await act('delete-destination', { id })
}

const forTheFirst =
  'Put it into FEED_SIGNING_SECRET of your app and restart the app. If another destination signs ' +
  'with the secret there, put this one into FEED_SIGNING_SECRET_NEXT instead. It is not shown again.'

// In place of the old secret it would refuse everything for a day, and the first 401 pauses the feed.
const forTheNext =
  'Leave FEED_SIGNING_SECRET as it is. Put this secret into FEED_SIGNING_SECRET_NEXT and restart ' +
  'your app now, so that it accepts both. For 24 hours the old secret signs, then this one. Move it ' +
  'to FEED_SIGNING_SECRET only when your app has accepted a delivery signed with it. It is not shown again.'
