import { fingerprintOf } from '@feed-receiver/core'
import type { HealthProblem, Inbox } from '@feed-receiver/inbox'
import { auditTables, createAudit } from '@feed-receiver/operate/audit'
import { defineCommand } from '../command.ts'
import { listOpenAlerts } from '../doctor/check-inbox.ts'
import { createAlertReader } from '../read-alerts.ts'
import { describePause } from './inbox-pauses.ts'
import { confirm } from '../options/confirm.ts'
import { pageOptions } from '../options/entry-options.ts'
import { inboxOptions, withInbox, withShards } from '../options/inbox-options.ts'
import type { OpenShards } from '../options/inbox-options.ts'
import { flag, oneOf, parsed } from '../options/option.ts'
import { secretName } from '../options/secret-options.ts'
import { parseCount } from '../options/values.ts'
import { formatDetails, formatTable } from '../output/format-table.ts'
import { fixesOf } from '../output/fixes-of.ts'
import { describeCount, many, numeral } from '../output/say-count.ts'

const names = [secretName, `${secretName}_NEXT`]

export const inboxSecrets = defineCommand('inbox secrets', {
  options: { days: parsed(parseCount), ...inboxOptions },
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
    return 0
  },
})

export const inboxGaps = defineCommand('inbox gaps', {
  options: { kind: oneOf(['missed', 'pull_only']), ...pageOptions, ...inboxOptions },
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
    out.result(found, ...details, ...formatTable(rows, out.columns))
    if (next !== null) out.hint(`More rows: add --after ${next}`)
    return probablePause === null ? 0 : 1
  },
})

export const inboxPrune = defineCommand('inbox prune', {
  options: {
    days: parsed((text, name) => parseCount(text, name, 0)),
    rowsDays: parsed((text, name) => parseCount(text, name, 0)),
    yes: flag,
    ...inboxOptions,
  },
  async run({ options }, context) {
    const { out, signal } = context
    const { days = 90, rowsDays: rowsAfterDays } = options
    const question = [
      ...(rowsAfterDays === undefined
        ? []
        : [`Delete entries that were handled more than ${many(rowsAfterDays, 'day')} ago?`]),
      `Delete the content of entries that were handled more than ${many(days, 'day')} ago?`,
    ].join(' ')
    if (!(await confirm(question, options.yes, context))) {
      out.note('Nothing was changed.')
      return 1
    }
    const pruned = await withShards(
      options,
      context,
      ({ inbox }) => inbox.prune({ bytesAfterDays: days, rowsAfterDays, signal }),
      [{ name: auditTables.name, add: createAudit }, createAlertReader().extension],
    )
    const { emptied, deleted } = pruned
    const line = rowsAfterDays === undefined ? '' : `${many(deleted, 'entry')} deleted. `
    out.result(pruned, `${line}Content of ${many(emptied, 'entry')} deleted.`)
    return signal.aborted ? 130 : 0
  },
})

export const inboxHealth = defineCommand('inbox health', {
  options: inboxOptions,
  async run({ options }, context) {
    const reader = createAlertReader()
    const look = async ({ inbox, shards }: OpenShards) => {
      // Deliveries arrive in other processes.
      const found = await inbox.health({ tryStore: true })
      const open = found.database === 'up' ? await listOpenAlerts(shards, reader) : []
      return { health: found, alerts: open }
    }
    const { health, alerts } = await withShards(options, context, look, [reader.extension])
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
    const messages = (some: readonly HealthProblem[]) => some.map(({ message }) => message)
    const lines = [
      ...(health.pauses ?? []).map(describePause),
      ...alerts.map(({ openedAt, message }) => `alert since ${openedAt}: ${message}`),
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

export const inboxAlerts = defineCommand('inbox alerts', {
  options: { limit: parsed(parseCount), ...inboxOptions },
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
