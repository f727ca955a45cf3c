import {
  Action,
  AskFirst,
  Check,
  Choose,
  Field,
  Form,
  LiveScreen,
  Section,
  State,
  Table,
  toNumber,
  type Values,
  withMore,
} from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { call, submit } from './api.ts'
import { toChoices } from './deliveries.tsx'
import { showOnce } from './once.tsx'
import { When } from './times.tsx'

export function Accounts() {
  const load = () => Promise.all([call('listKeys', {}), call('listAccounts', {})])
  return (
    <LiveScreen title="Accounts and keys" load={load}>
      {([keys, accounts]) => (
        <>
          <Section title="API keys">
            <Table
              label="API keys"
              head={['Key', 'Account', 'Last used', 'State']}
              rows={keys}
              none="No keys yet. Create one below for your app."
              cells={keyCells}
              main={0}
            />
            <div class="panel">
              <h3>New key</h3>
              <Form label="Create" submit={createKey}>
                <Field label="Name" name="name" placeholder="My app" required />
                <Choose label="Account" name="accountId" choices={toChoices(accounts)} />
              </Form>
            </div>
          </Section>
          <Section title="Accounts">
            <div class="cards">{accounts.map(toCard)}</div>
            <div class="panel">
              <h3>New account</h3>
              <Form label="Create" submit={(values) => submit('createAccount', values)}>
                <Field label="Name" name="name" required />
                <Field label="Id" name="id" placeholder="acct_second" required />
              </Form>
            </div>
          </Section>
        </>
      )}
    </LiveScreen>
  )
}

function keyCells(key: ActionAnswer<'listKeys'>[number]) {
  const { id, name, display, accountId, lastUsedAt, revokedAt } = key
  const revoke = () => call('revokeKey', { id })
  return [
    withMore(<strong>{name}</strong>, <code>{display}</code>),
    accountId,
    <When at={lastUsedAt} />,
    revokedAt === null ? (
      <AskFirst label="Revoke" question={`Revoke ${name}?`} look="quiet" onYes={revoke}>
        The next request with {display} is rejected.
      </AskFirst>
    ) : (
      <State name="revoked" />
    ),
  ]
}

async function createKey(values: Values): Promise<void> {
  const { key } = await submit('createKey', values)
  const text = 'Set it as FEED_API_KEY of your app. It is not shown again.'
  showOnce({ title: 'The API key', text, value: key })
}

const limits = [
  ['usageLimit', 'Requests in a month'],
  ['burstLimit', 'Requests in a minute'],
] as const

const features = [
  ['proActive', 'Pro'],
  ['decisionIntelligence', 'Decision Intelligence'],
  ['privateActivity', 'Private activity'],
] as const

function toCard(account: ActionAnswer<'listAccounts'>[number]) {
  const { id, name } = account
  const save = async (values: Values) => {
    const changes = [
      ...limits.map(([limit]) => [limit, toNumber(values[limit])]),
      ...features.map(([feature]) => [feature, feature in values]),
    ]
    await submit('changeAccount', { id }, Object.fromEntries(changes))
    return 'Saved.'
  }
  return (
    <article key={id} class="card" aria-label={name}>
      <div class="card-head">
        <h3>{name}</h3>
        <code class="muted">{id}</code>
      </div>
      <Form label="Save" isKept submit={save}>
        {limits.map(([limit, label]) => (
          <Field
            key={limit}
            label={label}
            name={limit}
            type="number"
            min="1"
            defaultValue={String(account[limit])}
          />
        ))}
        <div class="checks wide">
          {features.map(([feature, label]) => (
            <Check key={feature} label={label} name={feature} defaultChecked={account[feature]} />
          ))}
        </div>
      </Form>
      <div class="tools">
        <Action label="Publish a private event" run={() => compose(id)} />
      </div>
    </article>
  )
}

async function compose(accountId: string): Promise<string> {
  const { title } = await call('composeAccountEvent', { accountId })
  return `Published for this account only: ${title}`
}
