import { act, ask } from '../api.js'
import { confirmThat, showOnce } from '../dialogs.js'
import { h } from '../element.js'
import { checkbox, field, form, given, select, text } from '../forms.js'
import { live, state, table } from '../live.js'
import { action, notify } from '../notices.js'
import { when } from '../times.js'

/** Who may read what, and how often. */
export function accounts(place) {
  const keys = h('div', {})
  const cards = h('div', { class: 'cards' })
  const forms = h('div', { class: 'apart' })
  place.append(
    h('section', {}, h('h2', {}, 'API keys'), keys, forms),
    h('section', {}, h('h2', {}, 'Accounts'), cards, newAccount()),
  )
  const readKeys = live(keys, () => ask('keys'), showKeys)
  const readAccounts = live(
    cards,
    () => ask('accounts'),
    (found) => found.map(card),
  )
  const readForms = live(forms, () => ask('accounts'), newKey)
  return async () => {
    await readKeys()
    await readForms()
    await readAccounts()
  }
}

function showKeys(found) {
  const rows = found.map((key) => [
    [h('strong', {}, key.name), h('span', { class: 'under' }, h('code', {}, key.display))],
    key.accountId,
    when(key.lastUsedAt),
    key.revokedAt
      ? state('revoked')
      : action('Revoke', () => revoke(key), { class: 'quiet', 'data-key': key.id }),
  ])
  return table(['Key', 'Account', 'Last used', 'State'], rows, 'API keys')
}

async function revoke({ id, name, display }) {
  const isSure = await confirmThat({
    title: `Revoke ${name}?`,
    text: `${display} is unknown from the next request on.`,
    label: 'Revoke',
  })
  if (isSure) await act('revoke-key', { id })
}

function newKey(found) {
  const fields = [
    field('Name', text('name', { required: true, placeholder: 'My app' })),
    field(
      'Account',
      select(
        'accountId',
        found.map(({ id, name }) => [id, name]),
      ),
    ),
  ]
  const submit = async ({ name, accountId }) => {
    const { key } = await act('create-key', { name, accountId })
    document.dispatchEvent(new Event('changed'))
    const hint = 'Put it where your app reads FEED_API_KEY. It is not shown again.'
    await showOnce({ title: 'The API key', text: hint, value: key })
  }
  return h('div', { class: 'panel' }, h('h3', {}, 'New key'), form('Create', fields, submit))
}

function card(account) {
  const { id, name } = account
  const number = (label, member) =>
    field(label, text(member, { type: 'number', min: 1, required: true, value: account[member] }))
  const fields = [
    h(
      'div',
      { class: 'checks wide' },
      checkbox('proActive', 'Pro', account.proActive),
      checkbox('decisionIntelligence', 'Decision Intelligence', account.decisionIntelligence),
      checkbox('privateActivity', 'Private activity', account.privateActivity),
    ),
    number('Requests in a month', 'usageLimit'),
    number('Requests in a minute', 'burstLimit'),
  ]
  const save = (values) =>
    act('change-account', {
      id,
      proActive: 'proActive' in values,
      decisionIntelligence: 'decisionIntelligence' in values,
      privateActivity: 'privateActivity' in values,
      usageLimit: Number(values.usageLimit),
      burstLimit: Number(values.burstLimit),
    }).then(() => notify('Saved.'))
  return h(
    'article',
    { class: 'card', 'aria-label': name },
    h('div', { class: 'card-head' }, h('h3', {}, name), h('code', { class: 'muted' }, id)),
    form('Save', fields, save, { isKept: true }),
    h(
      'div',
      { class: 'tools' },
      action('Publish a private event', () => compose(id), { 'data-key': `private ${id}` }),
    ),
  )
}

async function compose(accountId) {
  const { title } = await act('compose-account-event', { accountId })
  notify(`Published for this account alone: ${title}`)
}

function newAccount() {
  const fields = [
    field('Name', text('name', { required: true })),
    field(
      'Id',
      text('id', {
        required: true,
        pattern: '[a-z0-9][a-z0-9_\\-]{0,63}',
        placeholder: 'acct_second',
      }),
    ),
  ]
  const submit = ({ id, name }) => act('create-account', { id: given(id), name })
  return h('div', { class: 'panel' }, h('h3', {}, 'New account'), form('Create', fields, submit))
}
