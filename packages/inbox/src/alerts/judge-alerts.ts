import type { Queryable } from '@feed-receiver/database'
import { cleanText } from '../entry/columns.ts'
import type { Place } from '../queue/queue.ts'
import type { Facts } from './read-facts.ts'
import type { SettledRule } from './settle-rules.ts'

/** What is noticed or open, as it is stored. */
interface Known {
  id: number
  rule: string
  subject: string
  message: string
  noticedAt: Date
  openedAt: Date | null
  calmSince: Date | null
  closedAt: Date | null
}

/** What the rules say now. */
interface Verdict {
  asOf: Date
  found: Map<string, { rule: SettledRule; subject: string; message: string }>
  rules: Map<string, SettledRule>
}

interface Changes {
  notice: Pick<Known, 'rule' | 'subject' | 'message' | 'noticedAt' | 'openedAt'>[]
  update: Known[]
  forget: number[]
}

/** Opens and closes alerts by what the rules find. Of several processes at once only one does each. */
export async function judgeAlerts(
  place: Place,
  rules: readonly SettledRule[],
  facts: Facts,
): Promise<void> {
  const verdict = verdictOf(rules, facts)
  const known = await readKnown(place.database, place)
  // Mostly nothing changes, and then nothing is locked or written.
  if (isNothing(findChanges(known, verdict))) return
  await place.database.tx(async (tx) => {
    const locked = await readKnown(tx, place, 'order by id for update')
    await writeChanges(tx, place, findChanges(locked, verdict))
  })
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
  return { asOf: facts.asOf, found, rules: new Map(rules.map((rule) => [rule.name, rule])) }
}

/** A subject is in its message, so the message may be longer. */
function clean(message: string): string {
  return message.toWellFormed().replaceAll('\0', '\ufffd')
}

function keyOf({ rule, subject }: Pick<Known, 'rule' | 'subject'>): string {
  return `${rule} ${subject}`
}

function findChanges(known: readonly Known[], { asOf, found, rules }: Verdict): Changes {
  const keys = new Set(known.map(keyOf))
  const changes: Changes = { notice: [], update: [], forget: [] }
  for (const [key, { rule, subject, message }] of found) {
    if (keys.has(key)) continue
    const openedAt = rule.openAfterMinutes === 0 ? asOf : null
    changes.notice.push({ rule: rule.name, subject, message, noticedAt: asOf, openedAt })
  }
  for (const row of known) {
    const rule = rules.get(row.rule)
    // A rule of another version is for a process of that version to judge.
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
function holdOn(row: Known, { rule, message }: { rule: SettledRule; message: string }, asOf: Date) {
  if (row.openedAt !== null) return row.calmSince === null ? row : { ...row, calmSince: null }
  const isDue = minutesBetween(row.noticedAt, asOf) >= rule.openAfterMinutes
  return isDue ? { ...row, message, openedAt: asOf } : row
}

/** The condition does not hold: the alert closes once that has lasted for long enough. */
function calmDown(row: Known, { closeAfterMinutes }: SettledRule, asOf: Date): Known {
  const calmSince = row.calmSince ?? asOf
  if (minutesBetween(calmSince, asOf) >= closeAfterMinutes) {
    return { ...row, calmSince, closedAt: asOf }
  }
  return row.calmSince === null ? { ...row, calmSince } : row
}

function minutesBetween(since: Date, until: Date): number {
  return (until.getTime() - since.getTime()) / 60_000
}

function isNothing({ notice, update, forget }: Changes): boolean {
  return notice.length + update.length + forget.length === 0
}

async function readKnown(db: Queryable, { tables, source }: Place, end = ''): Promise<Known[]> {
  const { rows } = await db.query<Known>(
    `select id, rule, subject, message, noticed_at as "noticedAt", opened_at as "openedAt",
       calm_since as "calmSince", closed_at as "closedAt"
     from ${tables.alert} where source = $1 and closed_at is null ${end}`,
    [source],
  )
  return rows
}

async function writeChanges(
  tx: Queryable,
  { tables, source }: Place,
  { notice, update, forget }: Changes,
): Promise<void> {
  if (notice.length > 0) {
    // In order, since two processes that notice the same at once would else lock each other out.
    await tx.query(
      `insert into ${tables.alert} (source, rule, subject, message, noticed_at, opened_at)
       select $1, rule, subject, message, "noticedAt", "openedAt"
       from json_to_recordset($2::json) as noticed (rule text, subject text, message text,
         "noticedAt" timestamptz, "openedAt" timestamptz)
       order by rule, subject
       on conflict (source, rule, subject) where closed_at is null do nothing`,
      [source, JSON.stringify(notice)],
    )
  }
  if (update.length > 0) {
    await tx.query(
      `update ${tables.alert} alert set message = changed.message, opened_at = "openedAt",
         calm_since = "calmSince", closed_at = "closedAt"
       from json_to_recordset($1::json) as changed (id bigint, message text,
         "openedAt" timestamptz, "calmSince" timestamptz, "closedAt" timestamptz)
       where alert.id = changed.id`,
      [JSON.stringify(update)],
    )
  }
  if (forget.length > 0) {
    await tx.query(`delete from ${tables.alert} where id = any($1::bigint[])`, [forget])
  }
}
