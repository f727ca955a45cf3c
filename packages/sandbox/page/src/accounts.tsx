import {
  Action,
  AskFirst,
  Head,
  notify,
  Shown,
  State,
  Table,
  useLive,
  withMore,
} from '@feed-receiver/page-kit'
import type { ActionAnswer } from '../../src/control/actions.ts'
import { ActionForm } from './action-form.tsx'
import { call } from './api.ts'
import { toChoices } from './deliveries.tsx'
import { showOnce } from './once.tsx'
import { When } from './times.tsx'

type Account = ActionAnswer<'listAccounts'>[number]
type Key = ActionAnswer<'listKeys'>[number]

/** Who may read what, and how often. */
export function Accounts() {
  const live = useLive('accounts', async () => {
    const [keys, accounts] = await Promise.all([call('listKeys', {}), call('listAccounts', {})])
    return { keys, accounts }
  })
  return (
    <>
      <Head title="Accounts and keys" />
      <Shown live={live}>
        {({ keys, accounts }) => (
          <>
            <section>
              <h2>API keys</h2>
              <Table
                label="API keys"
                head={['Key', 'Account', 'Last used', 'State']}
                rows={keys}
                cells={cellsOf}
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
            </section>
            <section>
              <h2>Accounts</h2>
              <div class="cards">
                {accounts.map((account) => (
                  <Card key={account.id} account={account} />
                ))}
              </div>
              <div class="panel">
                <h3>New account</h3>
                <ActionForm
                  name="createAccount"
                  label="Create"
                  fields={{ name: {}, id: { placeholder: 'acct_second' } }}
                />
              </div>
            </section>
          </>
        )}
      </Shown>
    </>
  )
}

function cellsOf({ id, name, display, accountId, lastUsedAt, revokedAt }: Key) {
  const revoke = (
    <AskFirst
      label="Revoke"
      question={`Revoke ${name}?`}
      look="quiet"
      onYes={() => call('revokeKey', { id })}
    >
      {display} is unknown from the next request on.
    </AskFirst>
  )
  return [
    withMore(<strong>{name}</strong>, <code>{display}</code>),
    accountId,
    <When at={lastUsedAt} />,
    revokedAt === null ? revoke : <State name="revoked" />,
  ]
}

function showKey({ key }: ActionAnswer<'createKey'>): void {
  const text = 'Put it where your app reads FEED_API_KEY. It is not shown again.'
  showOnce({ title: 'The API key', text, value: key })
}

function Card({ account }: { account: Account }) {
  const { id, name, proActive, decisionIntelligence, privateActivity } = account
  return (
    <article class="card" aria-label={name}>
      <div class="card-head">
        <h3>{name}</h3>
        <code class="muted">{id}</code>
      </div>
      <ActionForm
        name="changeAccount"
        label="Save"
        isKept
        fields={{
          proActive: { value: proActive },
          decisionIntelligence: { value: decisionIntelligence },
          privateActivity: { value: privateActivity },
          usageLimit: { value: account.usageLimit },
          burstLimit: { value: account.burstLimit },
        }}
        also={{ id }}
        onDone={() => notify('Saved.')}
      />
      <div class="tools">
        <Action label="Publish a private event" run={() => compose(id)} />
      </div>
    </article>
  )
}

async function compose(accountId: string): Promise<void> {
  const { title } = await call('composeAccountEvent', { accountId })
  notify(`Published for this account alone: ${title}`)
}
