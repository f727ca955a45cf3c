import type { SecretUse } from '@feed-receiver/inbox'
import { LiveScreen, State } from '@feed-receiver/page-kit'
import { ask } from './api.ts'
import texts from './texts.json' with { type: 'json' }
import { formatCount, When } from './words.tsx'

/** Which secrets have signed, and whether an old one can be revoked. */
export function Secrets() {
  return (
    <LiveScreen
      title="Secrets"
      lead="Secrets by their fingerprints. The secrets themselves are never shown here or stored with a delivery."
      load={() => ask('secrets')}
    >
      {({ secrets }) => (
        <>
          {secrets.length === 0 && (
            <p class="empty">No deliveries yet, so no secret has signed one.</p>
          )}
          <ul class="cards">
            {secrets.map((use, index) => (
              <Secret key={use.fingerprint} use={use} isLatest={index === 0} />
            ))}
          </ul>
        </>
      )}
    </LiveScreen>
  )
}

function Secret({ use, isLatest }: { use: SecretUse; isLatest: boolean }) {
  const { fingerprint, firstSignedAt, lastSignedAt, recent, canBeRemoved } = use
  const { tone, word, says } = texts.secrets[canBeRemoved ? 'old' : isLatest ? 'latest' : 'still']
  return (
    <li class="card">
      <div class="card-head">
        <h2>
          <code>{fingerprint}</code>
        </h2>
        <State name={tone} label={word} />
      </div>
      <p>{says}</p>
      <p class="under">
        {formatCount(recent)} in the last 7 days · first <When at={firstSignedAt} /> · last{' '}
        <When at={lastSignedAt} />
      </p>
    </li>
  )
}
