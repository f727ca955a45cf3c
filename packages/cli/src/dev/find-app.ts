import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createSender, fixture, probeTarget, type AttemptRecord } from '@feed-receiver/sender'
import { readOwnAnswer } from '../conformance/traps/find-trap.ts'

/** The result of trying one candidate URL. */
export interface Tried {
  url: string
  /** The response to a signed test delivery; null if nothing listens there. */
  answer: AttemptRecord | null
}

interface Search {
  /** The URLs to try. Called again for each round. */
  candidates: () => string[]
  secret: string
  /**
   * Called with all tried URLs each time that the results of a round differ from the last round.
   */
  onNotFound: (tried: Tried[]) => void
  signal: AbortSignal
}

const roundMs = 250

/**
 * Polls the candidates until a receiver answers a signed test delivery. It answers with 2xx, or
 * with an error code that only a receiver of this kit gives, for example for a wrong secret.
 *
 * @throws the reason of the signal.
 */
export async function findApp({ candidates, secret, onNotFound, signal }: Search): Promise<string> {
  await using sender = createSender({ secret })
  let reported = ''
  for (;;) {
    signal.throwIfAborted()
    const tried: Tried[] = []
    for (const [origin, urls] of byOrigin(candidates())) {
      const isListening =
        (await probeTarget(origin, { allowLocal: true, deadlineMs: roundMs })) === null
      for (const url of urls) {
        const answer = isListening ? await sender.attempt(makeTest(), { to: url, signal }) : null
        if (answer && isReceiver(answer)) return url
        tried.push({ url, answer })
      }
    }
    const found = tried.map(({ url, answer }) => `${url} ${String(answer?.status)}`).join('\n')
    if (found !== reported) onNotFound(tried)
    reported = found
    // An aborted wait ends here, and throws the reason above.
    await delay(roundMs, undefined, { signal }).catch(() => undefined)
  }
}

function byOrigin(urls: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const url of urls) {
    const { origin } = new URL(url)
    groups.set(origin, [...(groups.get(origin) ?? []), url])
  }
  return groups
}

function makeTest() {
  const id = `evt_test_${randomBytes(12).toString('hex')}`
  return fixture('destination_test', { id, created_at: new Date().toISOString() })
}

function isReceiver({ result, responseBody = '' }: AttemptRecord): boolean {
  return result === 'accepted' || readOwnAnswer(responseBody) !== undefined
}
