import { rehearse, type RehearsedCounts } from '@feed-receiver/operate/rehearse'
import { defineCommand, type Context } from '../command.ts'
import { problem } from '../errors.ts'
import { entryFilterOptions, readEntryFilter } from '../options/entry-options.ts'
import { inboxOptions, openChosen } from '../options/inbox-options.ts'
import { flag, parsed } from '../options/option.ts'
import { parseCount } from '../options/values.ts'
import { many } from '../output/say-count.ts'
import { describeReport } from '../rehearse/describe-report.ts'
import { loadHandlers } from '../rehearse/load-handlers.ts'
import texts from '../rehearse/texts.json' with { type: 'json' }
import { watchProcess } from '../rehearse/watch-process.ts'
import { fill } from '../texts.ts'

const maxConcurrency = 256
const lineEveryMs = 5_000

export const rehearseHandlers = defineCommand('rehearse', {
  options: {
    ...entryFilterOptions,
    limit: parsed(parseCount),
    concurrency: parsed(parseConcurrency),
    timeout: parsed(parseCount),
    forbidNetwork: flag,
    ...inboxOptions,
  },
  async run({ operands: [file = ''], options }, context) {
    const { out, env, signal } = context
    const { source, schema, limit, concurrency = 4, timeout = 30, forbidNetwork } = options
    await using database = openChosen(options, context, { maxConnections: concurrency + 1 })
    using watched = watchProcess()
    const { handlers, transaction, effectResult } = await loadHandlers(file, env)
    signal.addEventListener('abort', () => out.note(texts.stopping), { once: true })
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
    const report = await (transaction ? rehearse({ ...settings, transaction }) : rehearse(settings))
    const { rejections } = watched
    out.result({ ...report, rejections }, ...describeReport(report, out.columns))
    const [first = ''] = rejections
    if (first !== '') out.note(fill(texts.unhandled, { count: rejections.length, first }))
    if (report.ended === 'aborted') return 130
    if (report.events === 0) out.note(texts.nothing)
    const isWell = report.events > 0 && report.thrown === 0 && rejections.length === 0
    return isWell && report.ended !== 'stuck' ? 0 : 1
  },
})

function parseConcurrency(value: string, name: string): number {
  const count = parseCount(value, name)
  if (count <= maxConcurrency) return count
  throw problem('usage', 'at_most', { name, most: maxConcurrency })
}

/** Shows progress: in place on a terminal, elsewhere as an occasional line. */
function progressTo(out: Context['out']) {
  let saidAt = performance.now()
  return ({ events, thrown }: Readonly<RehearsedCounts>) => {
    const text = fill(texts.progress, { events: many(events, 'event'), thrown })
    if (out.progress(text) || performance.now() - saidAt < lineEveryMs) return
    saidAt = performance.now()
    out.note(text)
  }
}
