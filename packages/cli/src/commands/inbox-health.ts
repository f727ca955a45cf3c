import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { formatDetails } from '../output/format-table.ts'

/** How an inbox is. */
export const inboxHealth = defineCommand({
  options: inboxOptions,
  async run({ options }, context) {
    const health = await withInbox(options, context, (inbox) => inbox.health())
    const { ok, database, queue, backlog, dead, quarantined, problems } = health
    const age = backlog?.oldestAgeSeconds
    const details = formatDetails({
      ok: ok ? 'yes' : 'no',
      database,
      queue,
      waiting: backlog && describeCount(backlog.waiting),
      running: backlog && describeCount(backlog.running),
      'oldest waits': typeof age === 'number' ? `${Math.round(age)} s` : null,
      dead: dead && describeCount(dead),
      'in quarantine': quarantined && describeCount(quarantined),
    })
    context.out.result(health, ...details, ...problems.map(({ message }) => message))
    return ok ? 0 : 1
  },
})
