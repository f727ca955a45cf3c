import { rehearse, type RehearsedCounts } from '@feed-receiver/operate/rehearse'
import { defineCommand, type Context } from '../command.ts'
import { entryFilterOptions, readEntryFilter } from '../options/entry-options.ts'
import { inboxOptions, openChosen } from '../options/inbox-options.ts'
import { flag, integer } from '../options/option.ts'
import { many } from '../output/words.ts'
import { describeRehearsal } from '../rehearse/describe-rehearsal.ts'
import { loadHandlers, watchProcess } from '../rehearse/load-handlers.ts'

const lineEveryMs = 5_000
const stopping = 'Waiting for running handlers. Press Ctrl-C again to stop at once.'

export const rehearseHandlers = defineCommand({
  options: {
    ...entryFilterOptions,
    limit: integer('--limit <n>', 'maximum number of events, oldest first (all)'),
    concurrency: integer('--concurrency <n>', 'handlers in parallel, up to 256 (4)', { most: 256 }),
    timeout: integer('--timeout <seconds>', 'time limit of a handler (30)'),
    forbidNetwork: flag(
      '--forbid-network',
      'reject fetch and new sockets in handlers, and count attempts',
    ),
    ...inboxOptions,
  },
  notes: `
    The module exports the handlers, as \`handlers\` or as the default. If the app has them, it also
    exports \`transaction\`, and \`effectResult(key, event)\` with results of effects. The command
    imports the module, so it must not start the app. TypeScript needs Node 22.18 or later, or tsx.

    Each event is handled alone, in a transaction that is rolled back, with the current rows.
    effects.once returns stored results and runs nothing. Output of the handlers goes to stderr.

    A rehearsal does not undo side effects outside tx: writes through other connections, network
    calls (reject them with --forbid-network), files, child processes, values of sequences.

    Exit code 1 means that a handler threw, or that no event matches. Ctrl-C waits for running
    handlers, prints the report and exits with code 130.
  `,
  examples: [
    'feed-receiver rehearse ./handlers.ts --since 30d',
    'feed-receiver rehearse ./handlers.ts --type outage_started --forbid-network --json',
  ],
  async run({ operands: [file = ''], options }, context) {
    const { out, env, signal } = context
    const { source, schema, limit, concurrency = 4, timeout = 30, forbidNetwork } = options
    await using database = openChosen(options, context, { maxConnections: concurrency + 1 })
    using watched = watchProcess()
    const { handlers, transaction, effectResult } = await watched.run(() => loadHandlers(file, env))
    signal.addEventListener('abort', () => out.note(stopping), { once: true })
    const settings = {
      handlers,
      database,
      ...(source !== undefined && { source }),
      ...(schema !== undefined && { schema }),
      filter: readEntryFilter(options),
      limit,
      concurrency,
      timeoutMs: timeout * 1_000,
      forbidNetwork,
      effectResult,
      onProgress: progressTo(out),
      signal,
    }
    const report = await watched.run(() =>
      transaction ? rehearse({ ...settings, transaction }) : rehearse(settings),
    )
    const { rejections } = watched
    out.result({ ...report, rejections }, ...describeRehearsal(report, out.columns))
    const [first = ''] = rejections
    if (first !== '') {
      out.note(
        `${rejections.length} promises were rejected without a handler, which would crash the app. The first one: ${first}`,
      )
    }
    if (report.ended === 'aborted') return 130
    if (report.events === 0) {
      out.note(
        'No stored event matches, so nothing was rehearsed. List the events with: feed-receiver inbox list',
      )
    }
    const isWell = report.events > 0 && report.thrown === 0 && rejections.length === 0
    return isWell && report.ended !== 'stuck' ? 0 : 1
  },
})

/** Shows progress: in place on a terminal, elsewhere as an occasional line. */
function progressTo(out: Context['out']) {
  let saidAt = performance.now()
  return ({ events, thrown }: Readonly<RehearsedCounts>) => {
    const text = `${many(events, 'event')} rehearsed, ${thrown} threw …`
    if (out.progress(text) || performance.now() - saidAt < lineEveryMs) return
    saidAt = performance.now()
    out.note(text)
  }
}
