import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Control, MadeAttempt } from '@feed-receiver/sandbox'
import type { Context } from '../command.ts'
import { isNamed } from '../errors.ts'
import { candidateUrls, findApp, readAppFolder } from './find-app.ts'
import { isPause } from './lines.ts'
import { describeFailure, describeSearch } from './messages.ts'

interface Followed {
  control: Control
  /** The URL of the app. If it is undefined, the app is searched for. */
  url: URL | undefined
  secret: string
  /** Called each time that the app accepts a test delivery. */
  onLive?: (url: string) => Promise<void>
}

/** How often it is checked whether the destination of the app still exists. */
const checkMs = 1_000

/**
 * Delivers the feed to an app, and reconnects whenever it comes back: after a response that paused
 * the feed, after a restart, or on another port. `follow` runs until the signal aborts.
 */
export function createFollowing(context: Context) {
  const { out, env, signal } = context
  /** Aborted when the app is lost. */
  let connection = new AbortController()

  return {
    /** Must be called with every attempt. */
    onAttempt({ kind, result, cause }: MadeAttempt): void {
      const isLost = isPause({ result, cause }) || cause === 'connect' || cause === 'reset'
      if (kind !== 'test' && isLost) connection.abort()
    },
    async follow(followed: Followed): Promise<void> {
      await keepConnected(followed).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    },
  }

  async function keepConnected(followed: Followed): Promise<void> {
    for (;;) {
      connection = new AbortController()
      const { signal: lost } = connection
      const url = followed.url?.href ?? (await find(followed.secret))
      const id = await connect(followed, url)
      if (id === undefined) continue
      await followed.onLive?.(url)
      const leaving = AbortSignal.any([lost, signal])
      while (!leaving.aborted) {
        if (!(await hasDestination(followed.control, id))) await restAfterDeletion(url)
        await delay(checkMs, undefined, { signal: leaving }).catch(() => undefined)
      }
      signal.throwIfAborted()
    }
  }

  async function find(secret: string): Promise<string> {
    return await findApp({
      candidates: () => candidateUrls(env),
      secret,
      onNotFound: (tried) => {
        const answers = tried.map(({ url, answer }) => ({ url, status: answer?.status ?? null }))
        const value = { type: 'searching', tried: answers }
        out.result(value, describeSearch(tried, readAppFolder()))
      },
      signal,
    })
  }

  /**
   * Waits until the app accepts a test, and returns its destination; undefined if an app that was
   * found is gone again.
   */
  async function connect({ control, url: given, secret }: Followed, url: string) {
    const leaving = new AbortController()
    try {
      const { destination, tests } = await control.forwardTo({
        url,
        secret,
        mayHaveMoved: true,
        signal: AbortSignal.any([signal, leaving.signal]),
        onWaiting(result) {
          const { status, cause, errorCode } = result
          if (status === null && !given) return leaving.abort()
          const line = `${describeFailure(result, url)} Repeating the test.`
          const value = { type: 'waiting', url, status, cause, errorCode }
          out.tinted(status === null ? 'warn' : 'bad', line, value)
        },
      })
      const live = { type: 'live', destinationId: destination.id, url, tests }
      out.tinted('good', `${url} accepts deliveries. The feed is live.`, live)
      return destination.id
    } catch (error) {
      if (leaving.signal.aborted) return undefined
      if (!isMissing(error)) throw error
      return await restAfterDeletion(url)
    }
  }

  /** Creates no other one, because two runs on one feed would delete each other's for ever. */
  async function restAfterDeletion(url: string): Promise<never> {
    const line = `The destination of ${url} was deleted, by you or by another dev on this feed, so your app gets no deliveries. Restart dev to deliver to it again.`
    out.tinted('warn', line, { type: 'deleted', url })
    signal.throwIfAborted()
    await once(signal, 'abort')
    throw signal.reason
  }
}

async function hasDestination(control: Control, id: string): Promise<boolean> {
  // While its database does not answer, the sandbox reports that.
  const all = await control.listDestinations().catch(() => undefined)
  return all === undefined || all.some((destination) => destination.id === id)
}

/** Whether the sandbox rejects an action because the destination no longer exists. */
function isMissing(error: unknown): boolean {
  return isNamed(error, 'Rejection') && 'reason' in error && error.reason === 'not_found'
}
