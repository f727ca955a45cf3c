import { setTimeout as delay } from 'node:timers/promises'
import { createSender, systemClock, virtualClock } from '@feed-receiver/sender'
import type { Outcome, DeliveryResult } from '@feed-receiver/sender'
import { defineCommand } from '../command.ts'
import { fixOf, describeAttempt } from '../describe-attempt.ts'
import { problem } from '../errors.ts'
import { flag, parsed, text } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { parseCount, parseRate } from '../options/values.ts'
import { many, numeral } from '../output/say-count.ts'
import { rewrittenNote } from '../read-delivery.ts'
import { collectDeliveries, shuffle } from '../replay/collect-deliveries.ts'
import { entriesOf } from '../texts.ts'

const maxConcurrency = 256

export const replay = defineCommand('replay', {
  options: {
    to: text,
    once: flag,
    virtualTime: flag,
    shuffle: flag,
    seed: parsed((value, name) => parseCount(value, name, 0)),
    rate: parsed(parseRate),
    concurrency: parsed(parseConcurrency),
    keepGoing: flag,
    ...secretOptions,
  },
  async run({ operands, options }, context) {
    const { out, signal } = context
    const { to, once, keepGoing, rate = 0, concurrency = 1 } = options
    if (to === undefined) throw problem('usage', 'no_receiver', { verb: 'replay' })
    if (options.seed !== undefined && !options.shuffle) throw problem('usage', 'seed_alone')
    const { seed = Date.now() % 100_000 } = options
    const secret = readSecret(options, context)
    const collected = await collectDeliveries(operands, context)
    const deliveries = options.shuffle ? shuffle(collected, seed) : collected
    if (deliveries.some(({ isRewritten }) => isRewritten)) out.note(rewrittenNote)
    if (options.shuffle) out.note(`Shuffled with --seed ${seed}`)

    const clock = options.virtualTime ? virtualClock({ autoAdvance: true }) : systemClock
    await using sender = createSender({ secret, clock })
    const outcomes: Outcome[] = []
    const width = Math.max(...deliveries.map(({ eventId }) => eventId.length))
    const showProgress = () =>
      out.progress(`${numeral(outcomes.length)} of ${numeral(deliveries.length)} done …`)
    const pause = new AbortController()
    const starting = AbortSignal.any([signal, pause.signal])
    const waiting = deliveries.entries()
    const beganAt = performance.now()
    const deliverNext = async (): Promise<void> => {
      for (const [index, { name, eventId, body }] of waiting) {
        const dueMs = beganAt + index * rate - performance.now()
        if (dueMs > 0) await delay(dueMs, undefined, { signal: starting }).catch(() => undefined)
        if (starting.aborted) return
        const outcome = await sender.deliver(body, {
          to,
          id: eventId,
          ...(once && { once }),
          // Only `signal` aborts in-flight deliveries. After a pausing status the service, too,
          // only stops starting new ones.
          signal,
          onAttempt(record) {
            const line = `${eventId.padEnd(width)}  ${record.attempt}  ${describeAttempt(record)}`
            out.result({ kind: 'attempt', name, eventId, ...record }, line.slice(0, out.columns))
            showProgress()
          },
        })
        outcomes.push(outcome)
        showProgress()
        if (outcome.result === 'paused' && !keepGoing) pause.abort()
      }
    }
    await Promise.all(Array.from({ length: concurrency }, deliverNext))

    const summary = summarize(deliveries.length, outcomes)
    out.result({ kind: 'summary', ...summary }, describeSummary(summary))
    const failed = outcomes.find(({ result }) => result !== 'delivered')
    const fix = failed && fixOf(failed)
    if (fix !== undefined) out.note(fix)
    if (signal.aborted) return 130
    return summary.delivered === deliveries.length ? 0 : 1
  },
})

function parseConcurrency(value: string, name: string): number {
  const count = parseCount(value, name)
  if (count <= maxConcurrency) return count
  throw problem('usage', 'at_most', { name, most: maxConcurrency })
}

type Summary = ReturnType<typeof summarize>

/** Counts the results of deliveries. */
function summarize(deliveries: number, outcomes: readonly Outcome[]) {
  const count = (result: DeliveryResult) =>
    outcomes.filter((outcome) => outcome.result === result).length
  return {
    deliveries,
    delivered: count('delivered'),
    /** Delivered events that a receiver of this kit had already stored. */
    duplicates: outcomes.filter(isDuplicate).length,
    paused: count('paused'),
    exhausted: count('exhausted'),
    test_failed: count('test_failed'),
    aborted: count('aborted'),
    /** Deliveries for which no request was sent. */
    notSent: deliveries - outcomes.length,
    attempts: outcomes.reduce((sum, { attempts }) => sum + attempts.length, 0),
  }
}

/** The summary as a line, without zero counts. */
function describeSummary({ duplicates, attempts, deliveries, ...summary }: Summary): string {
  const known = duplicates === 0 ? '' : ` (${many(duplicates, 'duplicate')})`
  const parts = entriesOf(notDelivered).map(([name, what]) => {
    return summary[name] === 0 ? '' : `${numeral(summary[name])} ${what}, `
  })
  const tried = many(attempts, 'attempt')
  return `${numeral(summary.delivered)} of ${numeral(deliveries)} delivered${known}, ${parts.join('')}${tried}`
}

const notDelivered = {
  paused: 'answered with a status that pauses the destination',
  exhausted: 'with retries exhausted',
  test_failed: 'failed as test deliveries',
  aborted: 'interrupted',
  notSent: 'not sent',
}

function isDuplicate({ result, attempts }: Outcome): boolean {
  const body = attempts.at(-1)?.responseBody ?? ''
  return result === 'delivered' && body.startsWith('{"status":"duplicate"')
}
