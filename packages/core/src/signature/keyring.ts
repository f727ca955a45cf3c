import {
  clearDeadline,
  deadlineReached,
  startDeadline,
  withinDeadline,
  type Deadline,
} from '../limits/deadline.ts'
import { createSlots } from '../limits/slots.ts'
import { FeedReceiverError } from '../errors.ts'
import type { SecretList } from './secret.ts'

/** Returns the secrets that are valid now, for example from a secret manager. */
export type SecretProvider = () => SecretList | Promise<SecretList>

// Forged signatures must not trigger provider calls more often, even while the provider fails.
const minRenewalMs = 1_000

// Nor may more deliveries wait for it at once, because each holds its body.
const maxWaiting = 256

/** How much later than its time limit a call may still end, in milliseconds. */
const spareMs = 1_000

/** How long a delivery waits for new secrets while there are old ones, in milliseconds. */
const staleWaitMs = 1_000

interface KeyringOptions<Secret> {
  /** Prepares secrets for use; throws if one cannot be a signing secret. */
  readSecrets: (given: SecretList) => Secret[]
  now: () => number
  maxAgeSeconds: number
  /** A delivery that has waited longer is gone. */
  lostAfterMs: number
  patienceMs?: number
}

/** The current signing secrets of one receiver. An empty list means that none is available. */
export interface Keyring<Secret> {
  /**
   * The secrets to verify with. Waits for the provider only if none are loaded, or if they are
   * twice as old as they may be, because one of them may have been revoked since.
   */
  current(deadline: Deadline): readonly Secret[] | Promise<readonly Secret[]>
  /**
   * Asks the provider again, for a signature that matches none of the current secrets: a 401 during
   * a rotation pauses the feed.
   */
  renew(deadline: Deadline): Promise<readonly Secret[]>
  /** The error of the last provider call, if it failed. */
  readonly error: unknown
}

/**
 * Creates a keyring of fixed secrets, or of those of a provider, which it refreshes in the
 * background once they are `maxAgeSeconds` old. While the provider fails, the last secrets stay
 * valid. After `patienceMs` without an answer, the provider may be asked again.
 *
 * @throws FeedReceiverError `bad_secret` if a fixed secret cannot be a signing secret.
 */
export function createKeyring<Secret>(
  given: SecretList | SecretProvider,
  { readSecrets, now, maxAgeSeconds, lostAfterMs, patienceMs = 5_000 }: KeyringOptions<Secret>,
): Keyring<Secret> {
  const provide = typeof given === 'function' ? given : undefined
  const maxAgeMs = maxAgeSeconds * 1_000
  let secrets: readonly Secret[] = typeof given === 'function' ? [] : readSecrets(given)
  let askedAt = -Infinity
  let loadedAt = -Infinity
  let error: unknown
  let loading: Promise<readonly Secret[]> | undefined
  const waiting = createSlots<Deadline>({ max: maxWaiting, lostAfterMs })

  return {
    current(deadline) {
      if (!provide) return secrets
      if (secrets.length === 0) return renew(deadline)
      const ageMs = msSince(loadedAt)
      // If the provider fails, no delivery waits for it.
      if (ageMs > 2 * maxAgeMs && error === undefined) return renewOrKeep()
      if (ageMs > maxAgeMs) void load(provide)
      return secrets
    },
    renew,
    get error() {
      return error
    },
  }

  async function renew(deadline: Deadline): Promise<readonly Secret[]> {
    if (!provide) return secrets
    if (!waiting.take(deadline)) return []
    const loaded = await withinDeadline(deadline, load(provide))
    waiting.give(deadline)
    return loaded === deadlineReached ? [] : loaded
  }

  /** A provider that hangs must leave enough time to store the delivery. */
  async function renewOrKeep(): Promise<readonly Secret[]> {
    const deadline = startDeadline(staleWaitMs)
    const renewed = await renew(deadline)
    clearDeadline(deadline)
    return renewed.length > 0 ? renewed : secrets
  }

  // A clock that is set back must not make secrets look new until it catches up again.
  function msSince(time: number): number {
    return Math.abs(now() - time)
  }

  // One call for all waiting deliveries, even if some of them time out.
  function load(ask: SecretProvider): Promise<readonly Secret[]> {
    // Some runtimes drop the call and its timer together with the request that made it.
    if (loading && msSince(askedAt) <= patienceMs + spareMs) return loading
    if (msSince(askedAt) < minRenewalMs) return Promise.resolve(error === undefined ? secrets : [])
    askedAt = now()
    const call: Promise<readonly Secret[]> = loadFrom(ask, () => loading === call)
    loading = call
    return call
  }

  // A frozen process may end a call after a later one has begun. Then only the later one counts.
  async function loadFrom(
    ask: SecretProvider,
    isLatest: () => boolean,
  ): Promise<readonly Secret[]> {
    const deadline = startDeadline(patienceMs)
    try {
      const answer = await withinDeadline(deadline, callProvider(ask))
      if (answer === deadlineReached) throw tooLate(patienceMs)
      const loaded = readSecrets(answer)
      if (isLatest()) {
        secrets = loaded
        loadedAt = now()
        error = undefined
      }
      return loaded
    } catch (cause) {
      if (isLatest()) error = cause
      return []
    } finally {
      clearDeadline(deadline)
      if (isLatest()) loading = undefined
    }
  }
}

/** Rejects if the provider throws. */
async function callProvider(ask: SecretProvider): Promise<SecretList> {
  return await ask()
}

function tooLate(patienceMs: number): FeedReceiverError {
  return new FeedReceiverError(
    'secrets_late',
    `The function that provides the secrets took longer than ${patienceMs} ms. Make it time out ` +
      'sooner, or cache the secrets.',
  )
}
