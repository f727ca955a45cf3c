import type { HealthProblem, Inbox } from '@feed-receiver/inbox'
import { fixOfUnlisted } from '@feed-receiver/inbox/internal'
import { defineCommand } from '../command.ts'
import { inboxOptions, withInbox, withShards, type OpenShards } from '../options/inbox-options.ts'
import { integer } from '../options/option.ts'
import { formatDetails, formatTable } from '../output/format-table.ts'
import { describeCount, numeral } from '../output/words.ts'
import { createAlertReader, fixesOf, listOpenAlerts, matchAlerts } from '../read-alerts.ts'
import { describePause } from './inbox-pauses.ts'

export const inboxHealth = defineCommand({
  options: inboxOptions,
  async run({ options }, context) {
    const reader = createAlertReader()
    const read = async ({ inbox, shards }: OpenShards) => {
      // Deliveries arrive in other processes.
      const found = await inbox.health({ tryStore: true })
      const open = found.database === 'up' ? await listOpenAlerts(shards, reader) : []
      return { health: found, alerts: open }
    }
    const { health, alerts } = await withShards(options, context, read, [reader.extension])
    const { ok, database, queue, backlog, dead, quarantined, problems, warnings, rejections } =
      health
    const rejected = rejections?.reduce((sum, { count }) => sum + count, 0)
    const age = backlog?.oldestAgeSeconds
    const details = formatDetails({
      ok: ok ? 'yes' : 'no',
      database,
      queue,
      pending: backlog && describeCount(backlog.waiting),
      'of them paused': health.pauses?.length && backlog ? describeCount(backlog.paused) : null,
      'in progress': backlog && describeCount(backlog.running),
      'oldest pending': typeof age === 'number' ? `${Math.round(age)} s` : null,
      dead: dead && describeCount(dead),
      'in quarantine': quarantined && describeCount(quarantined),
      'rejected in 1 h': rejected === undefined ? null : numeral(rejected),
    })
    const { since, others } = matchAlerts([...problems, ...warnings], alerts)
    const messages = (some: readonly HealthProblem[]) =>
      some.map((problem) => problem.message + since(problem))
    const lines = [
      ...(health.pauses ?? []).map(describePause),
      ...others.map(
        (alert) => `Alert open since ${alert.openedAt}: ${alert.message} ${fixOfUnlisted(alert)}`,
      ),
    ]
    context.out.result(
      { ...health, alerts },
      ...messages(warnings),
      ...details,
      ...lines,
      ...messages(problems),
    )
    return ok ? 0 : 1
  },
})

export const inboxAlerts = defineCommand({
  options: {
    limit: integer('--limit <n>', 'alerts to list, up to 500 (50)', { most: 500 }),
    ...inboxOptions,
  },
  notes: `
    The command does not check the rules. \`feed-receiver alerts\` does, or the app itself.
  `,
  async run({ options }, context) {
    const { out } = context
    const { limit = 50 } = options
    const reader = createAlertReader()
    const list = async (inbox: Inbox) => (await reader.of(inbox)?.list({ limit })) ?? []
    const alerts = await withInbox(options, context, list, [reader.extension])
    const rows = alerts.map(({ id, rule, openedAt, closedAt, message }) => ({
      id,
      rule,
      opened: openedAt,
      closed: closedAt,
      message,
    }))
    out.result({ alerts }, ...formatTable(rows, out.columns), ...fixesOf(alerts))
    if (rows.length === 0) out.hint('No alerts.')
    return alerts.some(({ closedAt }) => closedAt === null) ? 1 : 0
  },
})
