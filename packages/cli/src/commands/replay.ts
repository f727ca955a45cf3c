import { createSender, systemClock, virtualClock, type Outcome } from '@feed-receiver/sender'
import { defineCommand } from '../command.ts'
import { adviseOn, describeAttempt } from '../describe-attempt.ts'
import { CliError } from '../errors.ts'
import { parseCount } from '../parse-count.ts'
import { rewrittenNote } from '../read-delivery.ts'
import { collectDeliveries } from '../replay/collect-deliveries.ts'
import { parseRate } from '../replay/parse-rate.ts'
import { replayDeliveries } from '../replay/replay-deliveries.ts'
import { shuffle } from '../replay/shuffle.ts'
import { describeSummary, summarize } from '../replay/summarize.ts'
import { readSecret, secretOptions } from '../secret-options.ts'

const maxConcurrency = 256

/** Many deliveries, with the retries of the service. */
export const replay = defineCommand({
  count: [1, 10_000],
  options: {
    to: { type: 'string', value: 'url', help: 'address of the receiver, http or https' },
    once: { type: 'boolean', help: 'one attempt for each, no retries' },
    'virtual-time': { type: 'boolean', help: 'let an hour of retries pass at once' },
    shuffle: { type: 'boolean', help: 'in an order by chance, which --seed repeats' },
    seed: { type: 'string', value: 'n', help: 'the seed of --shuffle' },
    rate: { type: 'string', value: 'n/s', help: 'start so many in a time: 10/s, 30/m, 100/h' },
    concurrency: {
      type: 'string',
      value: 'n',
      help: `how many at once, up to ${maxConcurrency} (1)`,
    },
    'keep-going': { type: 'boolean', help: 'go on after a status that pauses the destination' },
    ...secretOptions,
  },
  notes: [
    'A file is an event or a captured delivery; a .jsonl has one on each line, and a folder is all of\n' +
      'its .json and .jsonl files by name. Bytes are sent as they are, freshly signed. On a status that\n' +
      'pauses the destination nothing more is sent, as the service does. With --json each attempt is a\n' +
      'line, and the summary is the last one.',
  ],
  examples: [
    'feed-receiver replay captured/ --to http://localhost:3000/webhooks/feed',
    'feed-receiver replay events.jsonl --to http://localhost:3000/webhooks/feed --shuffle --seed 7 --rate 10/s',
  ],
  async run({ operands, options }, context) {
    const { out, signal } = context
    if (options.to === undefined) {
      throw new CliError('usage', 'replay needs --to <url>, the address of your receiver.')
    }
    if (options.seed !== undefined && options.shuffle !== true) {
      throw new CliError('usage', '--seed is for --shuffle: give both.')
    }
    const concurrency = parseCount('--concurrency', options.concurrency ?? '1')
    if (concurrency > maxConcurrency) {
      throw new CliError('usage', `--concurrency is at most ${maxConcurrency}.`)
    }
    const intervalMs = options.rate === undefined ? undefined : parseRate(options.rate)
    const seed = parseCount('--seed', options.seed ?? String(Date.now() % 100_000), 0)
    const secret = readSecret(options, context)
    const collected = await collectDeliveries(operands, context)
    const deliveries = options.shuffle === true ? shuffle(collected, seed) : collected
    if (deliveries.some(({ isRewritten }) => isRewritten)) out.note(rewrittenNote)
    if (options.shuffle === true) out.note(`Shuffled with --seed ${seed}`)

    const clock =
      options['virtual-time'] === true ? virtualClock({ autoAdvance: true }) : systemClock
    await using sender = createSender({ secret, clock })
    const outcomes: Outcome[] = []
    const width = Math.max(...deliveries.map(({ eventId }) => eventId.length))
    const showProgress = () => out.progress(`${outcomes.length} of ${deliveries.length} done …`)
    await replayDeliveries(deliveries, {
      sender,
      to: options.to,
      once: options.once === true,
      concurrency,
      intervalMs,
      keepGoing: options['keep-going'] === true,
      signal,
      onAttempt({ name, eventId }, record) {
        const line = `${eventId.padEnd(width)}  ${record.attempt}  ${describeAttempt(record)}`
        out.line(out.columns === undefined ? line : line.slice(0, out.columns))
        out.json({ kind: 'attempt', name, eventId, ...record })
        showProgress()
      },
      onOutcome(_, outcome) {
        outcomes.push(outcome)
        showProgress()
      },
    })
    const summary = summarize(deliveries.length, outcomes)
    out.json({ kind: 'summary', ...summary })
    out.line(describeSummary(summary))
    const failed = outcomes.find(({ result }) => result !== 'delivered')
    const advice = failed && adviseOn(failed)
    if (advice !== undefined) out.note(advice)
    if (signal.aborted) return 130
    return summary.delivered === deliveries.length ? 0 : 1
  },
})
