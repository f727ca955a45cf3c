import { EventEmitter, once } from 'node:events'
import type { Control, MadeAttempt } from '@feed-receiver/sandbox'
import type { Context } from '../command.ts'
import { candidateUrls, findApp, readAppFolder } from './find-app.ts'
import { describeSearch, describeTest } from './messages.ts'

interface Followed {
  control: Control
  /** The URL of the app. If it is undefined, the app is searched for. */
  url: URL | undefined
  secret: string
  /** Called each time that the app accepts a test delivery. */
  onLive?: (url: string) => Promise<void>
}

/**
 * Delivers the feed to an app, and reconnects whenever it comes back: after a response that paused
 * the feed, after a restart, or on another port. `follow` runs until the signal aborts.
 */
export function createFollowing(context: Context) {
  const { out, env, signal } = context
  const troubles = new EventEmitter()

  return {
    /** Must be called with every attempt. */
    note({ kind, result, cause }: MadeAttempt): void {
      const isLost = result === 'pause' || cause === 'connect' || cause === 'reset'
      if (kind !== 'test' && isLost) troubles.emit('trouble')
    },
    async follow(followed: Followed): Promise<void> {
      await keepConnected(followed).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    },
  }

  async function keepConnected(followed: Followed): Promise<void> {
    for (;;) {
      const round = new AbortController()
      const trouble = once(troubles, 'trouble', { signal: AbortSignal.any([signal, round.signal]) })
      trouble.catch(() => undefined)
      const url = followed.url?.href ?? (await find(followed.secret))
      if (await connect(followed, url)) {
        await followed.onLive?.(url)
        await trouble
      }
      // Removes its listeners.
      round.abort()
    }
  }

  async function find(secret: string): Promise<string> {
    return await findApp({
      candidates: () => candidateUrls(env),
      secret,
      onNotFound: (tried) => {
        const { value, text } = describeSearch(tried, readAppFolder())
        out.result(value, text)
      },
      signal,
    })
  }

  /** Waits until the app accepts a test; false if an app that was found is gone again. */
  async function connect({ control, url: given, secret }: Followed, url: string) {
    const leaving = new AbortController()
    try {
      const { destination, tests } = await control.forwardTo({
        url,
        secret,
        mayHaveMoved: true,
        signal: AbortSignal.any([signal, leaving.signal]),
        onWaiting(result) {
          if (result.status === null && !given) leaving.abort()
          else out.tinted(...describeTest(result, url))
        },
      })
      const live = { type: 'live', destinationId: destination.id, url, tests }
      out.tinted('good', `${url} accepts deliveries. The feed is live.`, live)
      return true
    } catch (error) {
      if (leaving.signal.aborted) return false
      throw error
    }
  }
}
