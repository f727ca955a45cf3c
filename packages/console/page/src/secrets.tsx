import type { SecretUse } from '@feed-receiver/inbox'
import { LiveScreen, State } from '@feed-receiver/page-kit'
import { ask } from './api.ts'
import { formatCount, When } from './words.tsx'

/** Which secrets have signed, and whether an old one may go. */
export function Secrets() {
  return (
    <LiveScreen
      title="Secrets"
      lead="By their fingerprints: a secret itself is never shown here, nor kept with what it signed."
      load={() => ask('secrets')}
    >
      {({ secrets }) => (
        <>
          {secrets.length === 0 && (
            <p class="empty">No delivery has come yet, so no secret has signed one.</p>
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
  return (
    <li class="card">
      <div class="card-head">
        <h2>
          <code>{fingerprint}</code>
        </h2>
        <State
          name={canBeRemoved ? 'skipped' : 'done'}
          label={canBeRemoved ? 'May be removed' : isLatest ? 'Signs now' : 'Still signs'}
        />
      </div>
      <p>{verdictOf(use, isLatest)}</p>
      <p class="under">
        {formatCount(recent)} in the last 7 days · first <When at={firstSignedAt} /> · last{' '}
        <When at={lastSignedAt} />
      </p>
    </li>
  )
}

function verdictOf({ canBeRemoved }: SecretUse, isLatest: boolean): string {
  if (canBeRemoved) {
    return 'Another secret has signed, and this one nothing since. If you rotated more than 24 hours ago, remove it from your app; until then the service still signs with it.'
  }
  if (isLatest) return 'The latest event was signed with it. Keep it.'
  return 'It has signed after another one began to. Keep it until the other has taken over.'
}
