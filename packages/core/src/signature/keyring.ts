import {
  clearDeadline,
  deadlineReached,
  startDeadline,
  withinDeadline,
  type Deadline,
} from '../limits/deadline.ts'
import { FeedReceiverError } from '../errors.ts'
import { readSecrets, type Secret, type SecretList } from './secret.ts'

/** Gives the secrets in use at the moment, from wherever they are kept. */
export type SecretProvider = () => SecretList | Promise<SecretList>

/** The signing secrets of one receiver, kept current. An empty list means that none is to be had. */
export interface Keyring {
  /** The secrets to verify with, as far as they are known by now. */
  current(): readonly Secret[]
  /** The secrets to verify with where the current ones will not do: asks the provider again. */
  renew(deadline: Deadline): Promise<readonly Secret[]>
  /** What the provider threw, if it failed the last time it was asked. */
  readonly error: unknown
}

export interface KeyringOptions {
  now: () => number
  maxAgeSeconds: number
  /**
   * How long to wait for the provider before it may be asked again.
   * @default 5_000
   */
  patienceMs?: number
}

/**
 * Holds fixed secrets, or those of a provider. A provider is asked again in the background once its
 * secrets are `maxAgeSeconds` old, and at once when a signature fits none of them: a rotation must
 * not be answered with the 401 that pauses the feed. While it fails, the last secrets serve.
 *
 * @throws FeedReceiverError `bad_secret` for a fixed secret that cannot be one.
 */
export function createKeyring(
  secrets: SecretList | SecretProvider,
  options: KeyringOptions,
): Keyring {
  return typeof secrets === 'function' ? provided(secrets, options) : fixed(readSecrets(secrets))
}

function fixed(secrets: readonly Secret[]): Keyring {
  return { current: () => secrets, renew: async () => secrets, error: undefined }
}

// A forger must not be able to make us ask the provider more often than this, also while it fails.
const minRenewalMs = 1_000

// Nor make more deliveries than this wait for it, each with its body.
const maxWaiting = 256

function provided(
  provide: SecretProvider,
  { now, maxAgeSeconds, patienceMs = 5_000 }: KeyringOptions,
): Keyring {
  let secrets: readonly Secret[] = []
  let askedAt = -Infinity
  let loadedAt = -Infinity
  let error: unknown
  let loading: Promise<readonly Secret[]> | undefined
  let waiting = 0

  // A clock that was ahead and is put right must not make secrets look new until it gets there again.
  function msSince(time: number): number {
    return Math.abs(now() - time)
  }

  // One call for all that wait, whatever becomes of those that stop waiting.
  function load(): Promise<readonly Secret[]> {
    if (loading) return loading
    if (msSince(askedAt) < minRenewalMs) return Promise.resolve(error === undefined ? secrets : [])
    askedAt = now()
    loading = ask().finally(() => (loading = undefined))
    return loading
  }

  async function ask(): Promise<readonly Secret[]> {
    const deadline = startDeadline(patienceMs)
    try {
      const given = await withinDeadline(deadline, Promise.resolve(provide()))
      if (given === deadlineReached) throw tooLate(patienceMs)
      secrets = readSecrets(given)
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

  return {
    current() {
      const isOld = msSince(loadedAt) > maxAgeSeconds * 1_000
      if (isOld && secrets.length > 0) void load()
      return secrets
    },
    async renew(deadline) {
      if (waiting >= maxWaiting) return []
      waiting += 1
      const loaded = await withinDeadline(deadline, load())
      waiting -= 1
      return loaded === deadlineReached ? [] : loaded
    },
    get error() {
      return error
    },
  }
}

function tooLate(patienceMs: number): FeedReceiverError {
  return new FeedReceiverError(
    'secrets_late',
    `The function that gives the secrets took longer than ${patienceMs} ms. Let it fail sooner, or ` +
      'keep what it gives at hand.',
  )
}
