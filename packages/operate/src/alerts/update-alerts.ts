import type { Queryable } from '@feed-receiver/database'
import { cleanText, isoTime } from '@feed-receiver/inbox/internal'
import { type InboxStore } from '@feed-receiver/inbox/extend'
import type { ResolvedRule } from './resolve-rules.ts'
import type { RuleInputs } from './rules.ts'
import { alertTableOf, isUnnotifiedSql } from './tables.ts'

/** A stored alert, or one that may open. Times are in milliseconds. */
export interface KnownAlert {
  id: number
  rule: string
  subject: string
  message: string
  /** Since when its condition has held. */
  noticedAt: number
  openedAt: number | null
  /** Since when its condition has no longer held. */
  calmSince: number | null
  closedAt: number | null
}

export interface StoredAlerts {
  /** Alerts whose condition was noticed, or that opened, and that have not closed. */
  known: KnownAlert[]
  /** Whether a notification is still to be sent. */
  isUnnotified: boolean
  /**
   * When the latest pause ended; 'infinity' during one. Events that a pause kept out are reported
   * with the pause, not again after it ends.
   */
  missedAfter: string | null
}

/** The current findings of the rules. */
interface Findings {
  asOf: number
  found: Map<string, { rule: ResolvedRule; subject: string; message: string }>
  rules: Map<string, ResolvedRule>
}

interface Changes {
  notice: Pick<KnownAlert, 'rule' | 'subject' | 'message' | 'noticedAt' | 'openedAt'>[]
  update: KnownAlert[]
  forget: number[]
}

/**
 * Opens and closes alerts by the findings of the rules, and returns whether there was anything to
 * do. Of several concurrent processes, only one makes each change.
 */
export async function updateAlerts(
  context: InboxStore,
  rules: readonly ResolvedRule[],
  { known, inputs }: { known: readonly KnownAlert[]; inputs: RuleInputs },
): Promise<boolean> {
  const findings = findAll(rules, inputs)
  // Usually nothing changes, and then nothing is locked or written.
  if (isNothing(findChanges(known, findings))) return false
  await context.database.tx(async (tx) => {
    const locked = await tx.query<KnownAlert>(`${knownSql(alertTableOf(context))} for update`, [
      context.source,
    ])
    await writeChanges(tx, context, findChanges(locked.rows, findings))
  })
  return true
}

/** Reads what earlier checks have stored. */
export async function readStoredAlerts(context: InboxStore): Promise<StoredAlerts> {
  const alert = alertTableOf(context)
  const { rows } = await context.database.query<StoredAlerts>(
    `select (select coalesce(json_agg(alert), '[]') from (${knownSql(alert)}) alert) as known,
       exists (select from ${alert} where source = $1 and ${isUnnotifiedSql}) as "isUnnotified",
       (select case when closed_at is null then 'infinity' else ${isoTime('closed_at', 'US')} end
        from ${alert} where source = $1 and rule = 'probable_pause' and opened_at is not null
        order by id desc limit 1) as "missedAfter"`,
    [context.source],
    { isRepeated: true },
  )
  const [row] = rows
  if (!row) throw new Error('A statement without a condition returned no row.')
  return row
}

/** SQL for the known alerts of the source `$1`. */
function knownSql(alert: string): string {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
  return `select id, rule, subject, message, ${ms('noticed_at')} as "noticedAt",
      ${ms('opened_at')} as "openedAt", ${ms('calm_since')} as "calmSince", null as "closedAt"
    from ${alert} where source = $1 and closed_at is null order by id`
}

function findAll(rules: readonly ResolvedRule[], inputs: RuleInputs): Findings {
  const found: Findings['found'] = new Map()
  for (const rule of rules) {
    if (!rule.isOn) continue
    for (const { subject: written, message } of rule.detect(inputs)) {
      const subject = cleanText(written)
      found.set(keyOf({ rule: rule.name, subject }), { rule, subject, message: clean(message) })
    }
  }
  return {
    asOf: inputs.asOf.getTime(),
    found,
    rules: new Map(rules.map((rule) => [rule.name, rule])),
  }
}

/** A subject is in its message, so the message may be longer. */
function clean(message: string): string {
  return message.toWellFormed().replaceAll('\0', '\ufffd')
}

function keyOf({ rule, subject }: Pick<KnownAlert, 'rule' | 'subject'>): string {
  return `${rule} ${subject}`
}

function findChanges(known: readonly KnownAlert[], { asOf, found, rules }: Findings): Changes {
  const keys = new Set(known.map(keyOf))
  const changes: Changes = { notice: [], update: [], forget: [] }
  for (const [key, { rule, subject, message }] of found) {
    if (keys.has(key)) continue
    const openedAt = rule.openAfterMinutes === 0 ? asOf : null
    changes.notice.push({ rule: rule.name, subject, message, noticedAt: asOf, openedAt })
  }
  for (const row of known) {
    const rule = rules.get(row.rule)
    // Only processes of its own version can evaluate such a rule.
    if (!rule) continue
    const holding = found.get(keyOf(row))
    if (!holding && row.openedAt === null) changes.forget.push(row.id)
    else {
      const next = holding ? holdOn(row, holding, asOf) : calmDown(row, rule, asOf)
      if (next !== row) changes.update.push(next)
    }
  }
  return changes
}

/** The condition holds: the alert opens once it has held for long enough. */
function holdOn(
  row: KnownAlert,
  { rule, message }: { rule: ResolvedRule; message: string },
  asOf: number,
) {
  if (row.openedAt !== null) return row.calmSince === null ? row : { ...row, calmSince: null }
  const isDue = minutesBetween(row.noticedAt, asOf) >= rule.openAfterMinutes
  return isDue ? { ...row, message, openedAt: asOf } : row
}

/** The condition does not hold: the alert closes once that has lasted for long enough. */
function calmDown(row: KnownAlert, { closeAfterMinutes }: ResolvedRule, asOf: number): KnownAlert {
  const calmSince = row.calmSince ?? asOf
  if (minutesBetween(calmSince, asOf) >= closeAfterMinutes) {
    return { ...row, calmSince, closedAt: asOf }
  }
  return row.calmSince === null ? { ...row, calmSince } : row
}

function minutesBetween(since: number, until: number): number {
  return (until - since) / 60_000
}

function isNothing({ notice, update, forget }: Changes): boolean {
  return notice.length + update.length + forget.length === 0
}

async function writeChanges(
  tx: Queryable,
  context: InboxStore,
  { notice, update, forget }: Changes,
): Promise<void> {
  const { source } = context
  const table = alertTableOf(context)
  if (notice.length > 0) {
    // Sorted, because two processes that notice the same at once would otherwise deadlock.
    await tx.query(
      `insert into ${table} (source, rule, subject, message, noticed_at, opened_at)
       select $1, rule, subject, message, ${timeSql('noticedAt')}, ${timeSql('openedAt')}
       from json_to_recordset($2::json) as noticed (rule text, subject text, message text,
         "noticedAt" float8, "openedAt" float8)
       order by rule, subject
       on conflict (source, rule, subject) where closed_at is null do nothing`,
      [source, JSON.stringify(notice)],
    )
  }
  if (update.length > 0) {
    await tx.query(
      `update ${table} alert set message = changed.message,
         opened_at = ${timeSql('openedAt')}, calm_since = ${timeSql('calmSince')},
         closed_at = ${timeSql('closedAt')}
       from json_to_recordset($1::json) as changed (id bigint, message text,
         "openedAt" float8, "calmSince" float8, "closedAt" float8)
       where alert.id = changed.id`,
      [JSON.stringify(update)],
    )
  }
  if (forget.length > 0) {
    await tx.query(`delete from ${table} where id = any($1::bigint[])`, [forget])
  }
}

function timeSql(member: string): string {
  return `to_timestamp("${member}" / 1000)`
}
