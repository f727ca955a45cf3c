import type { SecretUse } from '@feed-receiver/inbox'
import { LiveScreen, State } from '@feed-receiver/page-kit'
import { ask } from './api.ts'
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

const uses = {
  old: {
    tone: 'skipped',
    word: 'Can be removed',
    says: 'Since another secret began to sign, this one has signed nothing. If you rotated more than 24 hours ago, remove it from your app. Until then, the service still signs with it.',
  },
  latest: {
    tone: 'done',
    word: 'Signs now',
    says: 'It signed the latest event. Keep it.',
  },
  still: {
    tone: 'done',
    word: 'Still signs',
    says: 'It still signs, although another secret also signs. Keep it until only the other one signs.',
  },
}

function Secret({ use, isLatest }: { use: SecretUse; isLatest: boolean }) {
  const { fingerprint, firstSignedAt, lastSignedAt, recent, canBeRemoved } = use
  const { tone, word, says } = uses[canBeRemoved ? 'old' : isLatest ? 'latest' : 'still']
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
