import {
  Action,
  AskFirst,
  LiveScreen,
  Section,
  State,
  Table,
  withMore,
} from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
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
              <ActionForm
                name="createKey"
                label="Create"
                fields={{
                  name: { placeholder: 'My app' },
                  accountId: { choices: toChoices(accounts) },
                }}
                onDone={showKey}
              />
            </div>
          </Section>
          <Section title="Accounts">
            <div class="cards">{accounts.map(toCard)}</div>
            <div class="panel">
              <h3>New account</h3>
              <ActionForm
                name="createAccount"
                label="Create"
                fields={{ name: {}, id: { placeholder: 'acct_second' } }}
              />
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

function showKey({ key }: ActionAnswer<'createKey'>): void {
  const text = 'Set it as FEED_API_KEY of your app. It is not shown again.'
  showOnce({ title: 'The API key', text, value: key })
}

const changeable = [
  'proActive',
  'decisionIntelligence',
  'privateActivity',
  'usageLimit',
  'burstLimit',
] as const

function toCard(account: ActionAnswer<'listAccounts'>[number]) {
  const { id, name } = account
  const fields = changeable.map((member) => [member, { value: account[member] }])
  return (
    <article key={id} class="card" aria-label={name}>
      <div class="card-head">
        <h3>{name}</h3>
        <code class="muted">{id}</code>
      </div>
      <ActionForm
        name="changeAccount"
        label="Save"
        isKept
        fields={Object.fromEntries(fields)}
        also={{ id }}
        onDone={() => 'Saved.'}
      />
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
