import type { InboxHealth } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { describeCount } from '../describe-count.ts'
import { formatDetails } from '../format-table.ts'
import { inboxOptions, withInbox } from '../open-inbox.ts'

/** How an inbox is. */
export const inboxHealth = defineCommand({
  name: 'inbox health',
  summary: 'Say what is wrong and what waits; exit code 1 if anything is wrong',
  options: inboxOptions,
  async run({ options }, context) {
    const { out } = context
    const health = await withInbox(options, context, (inbox) => inbox.health())
    out.json(health)
    for (const line of describeHealth(health)) out.line(line)
    return health.ok ? 0 : 1
  },
})

function describeHealth({ backlog, ...health }: InboxHealth): string[] {
  const age = backlog?.oldestAgeSeconds
  const details = formatDetails({
    ok: health.ok ? 'yes' : 'no',
    database: health.database,
    queue: health.queue,
    waiting: backlog && describeCount(backlog.waiting),
    running: backlog && describeCount(backlog.running),
    'oldest waits': typeof age === 'number' ? `${Math.round(age)} s` : null,
    dead: health.dead && describeCount(health.dead),
    'in quarantine': health.quarantined && describeCount(health.quarantined),
  })
  return [...details, ...health.problems.map(({ message }) => message)]
}
