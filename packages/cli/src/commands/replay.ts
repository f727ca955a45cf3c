import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createSender, type Outcome, type DeliveryResult } from '@feed-receiver/sender'
import { systemClock } from '@feed-receiver/core/internal'
import { virtualClock } from '@feed-receiver/sender/testing'
import { defineCommand } from '../command.ts'
import { fixOf, describeAttempt } from '../describe-attempt.ts'
import { UsageError } from '../errors.ts'
import { flag, integer, parsed, required, text } from '../options/option.ts'
import { readSecret, secretOptions } from '../options/secret-options.ts'
import { parseRate } from '../options/values.ts'
import { fitLine } from '../output/format-table.ts'
import { many, nonZero, numeral } from '../output/words.ts'
import { readDeliveries, rewrittenNote } from '../read-delivery.ts'

export const replay = defineCommand({
  options: {
    to: required(text('--to <url>', 'URL of the receiver, http or https')),
    once: flag('--once', 'one attempt per event, no retries'),
    virtualTime: flag('--virtual-time', 'skip the waiting time between retries'),
    shuffle: flag('--shuffle', 'send in random order, which --seed repeats'),
    seed: integer('--seed <n>', 'seed of --shuffle (random)', { least: 0 }),
    rate: parsed(
      '--rate <n/s>',
      'deliveries per unit of time: 10/s, 30/m, 100/h (unlimited)',
      parseRate,
    ),
    concurrency: integer('--concurrency <n>', 'deliveries in parallel, up to 256 (1)', {
      most: 256,
    }),
    keepGoing: flag('--keep-going', 'continue after a status that pauses the destination'),
    ...secretOptions,
  },
  notes: `
    A file is an event or a captured delivery. A .jsonl file has one per line, and a folder stands
    for all its .json and .jsonl files, sorted by name. The bytes are sent unchanged, with a new
    signature. At a status that pauses the destination, the command stops sending, as the service
    does. With --json, each attempt is a line, and the last line is the summary.

    A receiver of this kit answers a stored event as a duplicate, and does not handle it again. To
    handle stored events again, use: feed-receiver inbox reprocess
  `,
  examples: [
    'feed-receiver replay captured/ --to http://localhost:3000/webhooks/feed',
    'feed-receiver replay events.jsonl --to http://localhost:3000/webhooks/feed --shuffle --seed 7 --rate 10/s',
  ],
  async run({ operands, options }, context) {
    const { out, signal } = context
    const { to, once, keepGoing, rate = 0, concurrency = 1 } = options
    if (options.seed !== undefined && !options.shuffle)
      throw new UsageError('--seed needs --shuffle. Use both, or neither.')
    const { seed = Date.now() % 100_000 } = options
    const secret = readSecret(options, context)
    const collected = await readDeliveries(operands, context)
    const deliveries = options.shuffle ? shuffle(collected, seed) : collected
    if (deliveries.some(({ isRewritten }) => isRewritten)) out.note(rewrittenNote)
    if (options.shuffle) out.note(`Shuffled with --seed ${seed}`)

    const clock = options.virtualTime ? virtualClock({ autoAdvance: true }) : systemClock
    await using sender = createSender({ secret, clock })
    const outcomes: Outcome[] = []
    const width = deliveries.reduce((widest, { eventId }) => Math.max(widest, eventId.length), 0)
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
            out.result({ kind: 'attempt', name, eventId, ...record }, fitLine(line, out.columns))
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
    out.result({ kind: 'summary', ...summary }, describeReplay(summary))
    const failed = outcomes.find(({ result }) => result !== 'delivered')
    const fix = failed && fixOf(failed)
    if (fix !== undefined) out.note(fix)
    if (signal.aborted) return 130
    return summary.delivered === deliveries.length ? 0 : 1
  },
})

interface Summary extends Record<DeliveryResult, number> {
  deliveries: number
  /** Delivered events that a receiver of this kit had already stored. */
  duplicates: number
  /** Deliveries for which no request was sent. */
  notSent: number
  attempts: number
}

function summarize(deliveries: number, outcomes: readonly Outcome[]): Summary {
  const count = (result: DeliveryResult) =>
    outcomes.filter((outcome) => outcome.result === result).length
  return {
    deliveries,
    delivered: count('delivered'),
    duplicates: outcomes.filter(isDuplicate).length,
    paused: count('paused'),
    exhausted: count('exhausted'),
    test_failed: count('test_failed'),
    aborted: count('aborted'),
    notSent: deliveries - outcomes.length,
    attempts: outcomes.reduce((sum, { attempts }) => sum + attempts.length, 0),
  }
}

function describeReplay({ duplicates, attempts, deliveries, ...summary }: Summary): string {
  const known = duplicates === 0 ? '' : ` (${many(duplicates, 'duplicate')})`
  const others = nonZero([
    [summary.paused, 'answered with a status that pauses the destination'],
    [summary.exhausted, 'with retries exhausted'],
    [summary.test_failed, 'failed as test deliveries'],
    [summary.aborted, 'interrupted'],
    [summary.notSent, 'not sent'],
  ])
  const delivered = `${numeral(summary.delivered)} of ${numeral(deliveries)} delivered${known}`
  return [delivered, ...others, many(attempts, 'attempt')].join(', ')
}

function isDuplicate({ result, attempts }: Outcome): boolean {
  const body = attempts.at(-1)?.responseBody ?? ''
  return result === 'delivered' && body.startsWith('{"status":"duplicate"')
}

/** A shuffled copy, the same for the same seed. */
function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const keyOf = (at: number) => createHash('sha256').update(`${seed} ${at}`).digest('hex')
  return items
    .map((item, at) => ({ item, key: keyOf(at) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item)
}
