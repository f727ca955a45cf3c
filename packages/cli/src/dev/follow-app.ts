import { EventEmitter, once } from 'node:events'
import type { Control, MadeAttempt } from '@feed-receiver/sandbox'
import type { Context } from '../command.ts'
import { candidateUrls, findApp } from './find-app.ts'
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
  let lastTest: MadeAttempt | undefined

  return {
    /** Must be called with every attempt. */
    note(made: MadeAttempt): void {
      const { kind, result, cause } = made
      if (kind === 'test') lastTest = made
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
    let before: string | undefined
    for (;;) {
      const trouble = once(troubles, 'trouble', { signal })
      trouble.catch(() => undefined)
      const url = followed.url?.href ?? (await find(followed.secret))
      const isLive = await connect(followed, url, before)
      if (!isLive) continue
      before = url
      await followed.onLive?.(url)
      await trouble
    }
  }

  async function find(secret: string): Promise<string> {
    return await findApp({
      candidates: () => candidateUrls(env),
      secret,
      onNotFound: (tried) => {
        const { value, text } = describeSearch(tried)
        out.result(value, text)
      },
      signal,
    })
  }

  /** Waits until the app accepts a test; false if an app that was found is gone again. */
  async function connect({ control, url: given, secret }: Followed, url: string, before?: string) {
    const leaving = new AbortController()
    try {
      const { destination, tests } = await control.forwardTo({
        url,
        secret,
        movedFrom: before,
        signal: AbortSignal.any([signal, leaving.signal]),
        onWaiting(result) {
          if (result.status === null && !given) leaving.abort()
          else out.tinted(...describeTest({ ...result, responseBody: lastTest?.responseBody }, url))
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
