import { fingerprintOf } from '@feed-receiver/core'
import type { HealthProblem, Inbox } from '@feed-receiver/inbox'
import { fixOfUnlisted } from '@feed-receiver/inbox/internal'
import { auditTables, createAudit } from '@feed-receiver/operate/audit'
import { defineCommand } from '../command.ts'
import { createAlertReader, fixesOf, listOpenAlerts, matchAlerts } from '../read-alerts.ts'
import { describePause } from './inbox-pauses.ts'
import { confirm } from '../options/confirm.ts'
import { pageOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox, withShards } from '../options/inbox-options.ts'
import type { OpenShards } from '../options/inbox-options.ts'
import { flag, integer, oneOf } from '../options/option.ts'
import { secretName } from '../options/secret-options.ts'
import { formatDetails, formatSections, formatTable } from '../output/format-table.ts'
import { describeCount, many, numeral, present } from '../output/words.ts'

const names = [secretName, `${secretName}_NEXT`]

export const inboxSecrets = defineCommand({
  options: { days: integer('--days <n>', 'days to count back (7)'), ...inboxOptions },
  notes: `
    The last column names FEED_SIGNING_SECRET and FEED_SIGNING_SECRET_NEXT. You can remove a secret
    once another has signed and it has signed nothing since. Wait 24 hours after a rotation, because
    the service still signs with the old secret.
  `,
  async run({ options }, context) {
    const { out, env } = context
    const { days = 7 } = options
    const uses = await withInbox(options, context, (inbox) => inbox.secrets({ days }))
    const nameOf = ({ fingerprint }: { fingerprint: string }) =>
      names.find((name) => fingerprintOf(env[name] ?? '') === fingerprint)
    const secrets = uses.map((use) => ({ ...use, isInEnvironment: nameOf(use) !== undefined }))
    const rows = uses.map((use) => ({
      secret: use.fingerprint,
      first: use.firstSignedAt,
      last: use.lastSignedAt,
      [`in ${many(days, 'day')}`]: describeCount(use.recent),
      'can be removed': use.canBeRemoved ? 'yes' : 'no',
      variable: nameOf(use) ?? '',
    }))
    out.result({ secrets }, ...formatTable(rows, out.columns))
    if (uses.some(({ canBeRemoved }) => canBeRemoved)) {
      out.note(
        'Wait 24 hours after a rotation before you remove a secret, because the service still signs with it.',
      )
    }
  },
})

export const inboxRejections = defineCommand({
  options: { hours: integer('--hours <n>', 'hours to look back (24)'), ...inboxOptions },
  notes: `
    The inbox stores only counts of rejected deliveries, and no content. Exit code 1 means that the
    feed is probably paused: the service got a status that pauses it. Requests that anybody can
    send, such as one with an unknown signature, count only if push also misses events or is silent
    for longer than usual.
  `,
  examples: ['feed-receiver inbox rejections --hours 168'],
  async run({ options }, context) {
    const { out } = context
    const { hours = 24 } = options
    const { rejections, warnings } = await withInbox(options, context, async (inbox) => ({
      rejections: await inbox.rejections({ hours }),
      warnings: (await inbox.health()).warnings,
    }))
    const paused = warnings.find(({ code }) => code === 'deliveries_rejected')
    const rows = rejections.map(({ reason, status, sender, count, lastAt, cause }) => ({
      reason,
      status,
      'the service': sender === 'pause' ? 'pauses' : 'retries',
      count,
      last: lastAt,
      cause,
    }))
    const fixes = rejections.map(({ reason, fix }) => `${reason}: ${fix}`)
    const lines = present(paused?.message, ...formatTable(rows, out.columns), ...fixes)
    out.result({ rejections, isProbablyPaused: paused !== undefined }, ...lines)
    if (rows.length === 0) {
      out.hint(
        `No rejected delivery is stored in the last ${hours} h. While the database is down or its disk is full, apps count them in memory.`,
      )
    }
    return paused ? 1 : 0
  },
})

export const inboxGaps = defineCommand({
  options: {
    kind: oneOf(
      '--kind <kind>',
      'missed: events that push should have delivered; pull_only: all events that only pull found (missed)',
      ['missed', 'pull_only'],
    ),
    ...pageOptions,
    ...inboxOptions,
  },
  notes: `
    An event counts once push can no longer deliver it. Without a poller there is nothing to
    compare. Exit code 1 means that the destination is probably paused.
  `,
  examples: ['feed-receiver inbox gaps', 'feed-receiver inbox gaps --kind pull_only --json'],
  async run({ options }, context) {
    const { out } = context
    const { kind = 'missed', limit = 50 } = options
    const found = await withInbox(options, context, async ({ gaps }) => ({
      ...(await gaps.count()),
      ...(await gaps.list({ ...options, kind, limit })),
      streams: await gaps.streams(),
    }))
    const { missed, pullOnly, probablePause, gaps, next, streams } = found
    const lastPush = probablePause?.lastPushAt ?? 'the start'
    const details = formatDetails({
      missed: describeCount(missed),
      'only by pull': describeCount(pullOnly),
      'lost cursors': numeral(streams.length),
      'probably paused': probablePause
        ? `yes: no push since ${lastPush}; send a test delivery from the dashboard of the service ` +
          'to resume the destination'
        : 'no',
    })
    const rows = gaps.map(({ eventId, type, provider, pulledAt, title }) => ({
      event: eventId,
      type,
      provider,
      pulled: pulledAt,
      title,
    }))
    const lost = streams.map(({ stream, since, until, code }) => ({ stream, since, until, code }))
    out.result(
      found,
      ...details,
      ...formatTable(rows, out.columns),
      ...formatSections([
        ['Events may be missing since a lost cursor:', formatTable(lost, out.columns)],
      ]),
    )
    if (next !== null) out.hint(`More rows: add --after ${next}`)
    return probablePause === null ? 0 : 1
  },
})

export const inboxPrune = defineCommand({
  options: {
    days: integer('--days <n>', 'days to keep the content (90)', { least: 0 }),
    rowsDays: integer('--rows-days <n>', 'days after which entries are deleted (never)', {
      least: 0,
    }),
    dryRun: flag('--dry-run', 'only count what would be deleted'),
    yes: flag('-y, --yes', 'skip the confirmation; required without a terminal'),
    ...inboxOptions,
  },
  notes: `
    The ids and hashes stay, so a late duplicate is still recognized. Deleted content cannot be
    restored. A duplicate of a deleted entry counts as new. Pending and dead entries stay complete,
    and the newest 1,000 entries are never deleted.
  `,
  async run({ options }, context) {
    const { out, signal } = context
    const { days = 90, rowsDays: rowsAfterDays, dryRun = false } = options
    const question = present(
      rowsAfterDays !== undefined &&
        `Delete entries that were handled more than ${many(rowsAfterDays, 'day')} ago?`,
      `Delete the content of entries that were handled more than ${many(days, 'day')} ago?`,
    ).join(' ')
    if (!dryRun && !(await confirm(question, options.yes, context))) return 1
    const pruned = await withShards(
      options,
      context,
      ({ inbox }) => inbox.prune({ bytesAfterDays: days, rowsAfterDays, dryRun, signal }),
      [{ name: auditTables.name, add: createAudit }, createAlertReader().extension],
    )
    const { emptied, deleted } = pruned
    const verb = dryRun ? 'would be deleted' : 'deleted'
    const line = rowsAfterDays === undefined ? '' : `${many(deleted, 'entry')} ${verb}. `
    const counts = dryRun ? { wouldEmpty: emptied, wouldDelete: deleted } : pruned
    out.result(counts, `${line}Content of ${many(emptied, 'entry')} ${verb}.`)
    return signal.aborted ? 130 : 0
  },
})

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
