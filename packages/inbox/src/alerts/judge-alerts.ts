import type { Queryable } from '@feed-receiver/database'
import { cleanText } from '../entry/columns.ts'
import type { InboxContext } from '../context.ts'
import { knownAlertsSql } from './facts-sql.ts'
import type { Facts, KnownAlert } from './read-facts.ts'
import type { SettledRule } from './settle-rules.ts'

/** The current findings of the rules. */
interface Verdict {
  asOf: number
  found: Map<string, { rule: SettledRule; subject: string; message: string }>
  rules: Map<string, SettledRule>
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
export async function judgeAlerts(
  context: InboxContext,
  rules: readonly SettledRule[],
  facts: Facts,
): Promise<boolean> {
  const verdict = verdictOf(rules, facts)
  // Usually nothing changes, and then nothing is locked or written.
  if (isNothing(findChanges(facts.known, verdict))) return false
  await context.database.tx(async (tx) => {
    const locked = await tx.query<KnownAlert>(
      `${knownAlertsSql(context.tables.alert)} for update`,
      [context.source],
    )
    await writeChanges(tx, context, findChanges(locked.rows, verdict))
  })
  return true
}

function verdictOf(rules: readonly SettledRule[], facts: Facts): Verdict {
  const found: Verdict['found'] = new Map()
  for (const rule of rules) {
    if (!rule.isOn) continue
    for (const { subject: written, message } of rule.look(facts)) {
      const subject = cleanText(written)
      found.set(keyOf({ rule: rule.name, subject }), { rule, subject, message: clean(message) })
    }
  }
  return {
    asOf: facts.asOf.getTime(),
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

function findChanges(known: readonly KnownAlert[], { asOf, found, rules }: Verdict): Changes {
  const keys = new Set(known.map(keyOf))
  const changes: Changes = { notice: [], update: [], forget: [] }
  for (const [key, { rule, subject, message }] of found) {
    if (keys.has(key)) continue
    const openedAt = rule.openAfterMinutes === 0 ? asOf : null
    changes.notice.push({ rule: rule.name, subject, message, noticedAt: asOf, openedAt })
  }
  for (const row of known) {
    const rule = rules.get(row.rule)
    // Only processes of its own version can judge such a rule.
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
  { rule, message }: { rule: SettledRule; message: string },
  asOf: number,
) {
  if (row.openedAt !== null) return row.calmSince === null ? row : { ...row, calmSince: null }
  const isDue = minutesBetween(row.noticedAt, asOf) >= rule.openAfterMinutes
  return isDue ? { ...row, message, openedAt: asOf } : row
}

/** The condition does not hold: the alert closes once that has lasted for long enough. */
function calmDown(row: KnownAlert, { closeAfterMinutes }: SettledRule, asOf: number): KnownAlert {
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
  { tables, source }: InboxContext,
  { notice, update, forget }: Changes,
): Promise<void> {
  if (notice.length > 0) {
    // Sorted, because two processes that notice the same at once would otherwise deadlock.
    await tx.query(
      `insert into ${tables.alert} (source, rule, subject, message, noticed_at, opened_at)
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
      `update ${tables.alert} alert set message = changed.message,
         opened_at = ${timeSql('openedAt')}, calm_since = ${timeSql('calmSince')},
         closed_at = ${timeSql('closedAt')}
       from json_to_recordset($1::json) as changed (id bigint, message text,
         "openedAt" float8, "calmSince" float8, "closedAt" float8)
       where alert.id = changed.id`,
      [JSON.stringify(update)],
    )
  }
  if (forget.length > 0) {
    await tx.query(`delete from ${tables.alert} where id = any($1::bigint[])`, [forget])
  }
}

function timeSql(member: string): string {
  return `to_timestamp("${member}" / 1000)`
}
