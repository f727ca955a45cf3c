import {
  clearDeadline,
  deadlineReached,
  startDeadline,
  withinDeadline,
  type Deadline,
} from '../limits/deadline.ts'
import { FeedReceiverError } from '../errors.ts'
import type { SecretList } from './secret.ts'

/** Gives the secrets in use at the moment, from wherever they are kept. */
export type SecretProvider = () => SecretList | Promise<SecretList>

// A forger must not be able to make us ask the provider more often than this, also while it fails.
const minRenewalMs = 1_000

// Nor make more deliveries than this wait for it, each with its body.
const maxWaiting = 256

/** The signing secrets of one receiver, kept current. An empty list means that none is to be had. */
export type Keyring<Secret> = ReturnType<typeof createKeyring<Secret>>

export interface KeyringOptions<Secret> {
  /** Makes secrets ready for use; throws where one cannot be a secret. */
  readSecrets: (given: SecretList) => Secret[]
  now: () => number
  maxAgeSeconds: number
  patienceMs?: number
}

/**
 * Holds fixed secrets, or those of a provider. A provider is asked again in the background once its
 * secrets are `maxAgeSeconds` old, and at once when a signature fits none of them: a rotation must
 * not be answered with the 401 that pauses the feed. While it fails, the last secrets serve. It may
 * be asked again after `patienceMs` without an answer.
 *
 * @throws FeedReceiverError `bad_secret` for a fixed secret that cannot be one.
 */
export function createKeyring<Secret>(
  given: SecretList | SecretProvider,
  { readSecrets, now, maxAgeSeconds, patienceMs = 5_000 }: KeyringOptions<Secret>,
) {
  const provide = typeof given === 'function' ? given : undefined
  let secrets: readonly Secret[] = typeof given === 'function' ? [] : readSecrets(given)
  let askedAt = -Infinity
  let loadedAt = -Infinity
  let error: unknown
  let loading: Promise<readonly Secret[]> | undefined
  let waiting = 0

  return {
    /** The secrets to verify with, as far as they are known by now. */
    current(): readonly Secret[] {
      if (provide && secrets.length > 0 && msSince(loadedAt) > maxAgeSeconds * 1_000) {
        void load(provide)
      }
      return secrets
    },
    /** The secrets to verify with where the current ones will not do: asks the provider again. */
    async renew(deadline: Deadline): Promise<readonly Secret[]> {
      if (!provide) return secrets
      if (waiting >= maxWaiting) return []
      waiting += 1
      const loaded = await withinDeadline(deadline, load(provide))
      waiting -= 1
      return loaded === deadlineReached ? [] : loaded
    },
    /** What the provider threw, if it failed the last time it was asked. */
    get error() {
      return error
    },
  }

  // A clock that was ahead and is put right must not make secrets look new until it gets there again.
  function msSince(time: number): number {
    return Math.abs(now() - time)
  }

  // One call for all that wait, whatever becomes of those that stop waiting.
  function load(ask: SecretProvider): Promise<readonly Secret[]> {
    if (loading) return loading
    if (msSince(askedAt) < minRenewalMs) return Promise.resolve(error === undefined ? secrets : [])
    askedAt = now()
    loading = loadFrom(ask).finally(() => (loading = undefined))
    return loading
  }

  async function loadFrom(ask: SecretProvider): Promise<readonly Secret[]> {
    const deadline = startDeadline(patienceMs)
    try {
      const answer = await withinDeadline(deadline, Promise.resolve(ask()))
      if (answer === deadlineReached) throw tooLate(patienceMs)
      secrets = readSecrets(answer)
      loadedAt = now()
      error = undefined
      return secrets
    } catch (cause) {
      error = cause
      return []
    } finally {
      clearDeadline(deadline)
    }
  }
}

function tooLate(patienceMs: number): FeedReceiverError {
  return new FeedReceiverError(
    'secrets_late',
    `The function that gives the secrets took longer than ${patienceMs} ms. Let it fail sooner, or ` +
      'keep what it gives at hand.',
  )
}
