import { cleanText } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import type { ResolvedRule } from './resolve-rules.ts'
import type { RuleInputs } from './rules.ts'
import { alertTableOf, isUnnotifiedSql } from './tables.ts'

/**
 * Opens and closes alerts by the findings of the rules, and returns whether a notification is to be
 * sent. It is one statement, and changes a row only if that is due when its lock is taken, so of
 * several concurrent processes only one makes each change.
 */
export async function updateAlerts(
  context: InboxStore,
  rules: readonly ResolvedRule[],
  inputs: RuleInputs,
): Promise<boolean> {
  const times = rules.map(({ name, openAfterMinutes, closeAfterMinutes }) => {
    return { name, openAfterMinutes, closeAfterMinutes }
  })
  const { rows } = await context.database.query<{ isUnnotified: boolean }>(
    updateSql(alertTableOf(context)),
    [context.source, inputs.asOf, JSON.stringify(times), JSON.stringify(findAll(rules, inputs))],
    { isRepeated: true },
  )
  return rows[0]?.isUnnotified === true
}

/** What the rules find, once for each subject. */
function findAll(rules: readonly ResolvedRule[], inputs: RuleInputs) {
  const found = new Map<string, { rule: string; subject: string; message: string }>()
  for (const { name: rule, isOn, detect } of rules) {
    for (const { subject: written, message } of isOn ? detect(inputs) : []) {
      const subject = cleanText(written)
      // A subject is in its message, so the message may be longer.
      found.set(`${rule} ${subject}`, { rule, subject, message: cleanText(message, Infinity) })
    }
  }
  return [...found.values()]
}

const at = '$2::timestamptz'

/**
 * Whether another process has changed an alert by newer findings than these. Not for longer than a
 * minute, because a clock may have been set back.
 */
const isNewer = (time: string) => `(${time} > ${at} and ${time} < ${at} + interval '1 minute')`

/**
 *     noticed    insert into alert …    conditions that begin
 *     changing   select … for update    the rows that change, locked in the order of their ids
 *     changed    update alert …         opened, calm, calm no longer, or closed
 *     forgotten  delete from alert …    conditions that ended before they opened
 *
 * Usually nothing changes, and then nothing is locked or written. Only processes of its own version
 * can evaluate a rule that is unknown here, so its rows stay.
 */
function updateSql(alert: string): string {
  return `with timing as materialized (
      select name, ${at} - "openAfterMinutes" * interval '1 minute' as opens,
        ${at} - "closeAfterMinutes" * interval '1 minute' as closes
      from json_to_recordset($3::json)
        as timing (name text, "openAfterMinutes" float8, "closeAfterMinutes" float8)
    ),
    found as materialized (
      select * from json_to_recordset($4::json) as found (rule text, subject text, message text)
    ),
    noticed as (
      insert into ${alert} (source, rule, subject, message, noticed_at, opened_at)
      select $1, rule, subject, message, ${at}, case when opens = ${at} then ${at} end
      from found join timing on name = rule
      where not exists (
        select from ${alert} known where known.source = $1
          and known.rule = found.rule and known.subject = found.subject
          and (known.closed_at is null or ${isNewer('known.closed_at')})
      )
      order by rule, subject
      on conflict (source, rule, subject) where closed_at is null do nothing
      returning id
    ),
    changing as materialized (
      select known.id, closes, found.message, found.rule is not null as holds
      from ${alert} known join timing on name = known.rule
      left join found on found.rule = known.rule and found.subject = known.subject
      where known.source = $1 and closed_at is null and not ${isNewer('noticed_at')} and case
        when found.rule is null then coalesce(calm_since <= closes, true)
        when opened_at is null then noticed_at <= opens
        else calm_since is not null
      end
      order by known.id for update of known
    ),
    changed as (
      update ${alert} alert set
        message = case when opened_at is null then changing.message else alert.message end,
        opened_at = coalesce(opened_at, ${at}),
        calm_since = case when not holds then coalesce(calm_since, ${at}) end,
        closed_at = case when not holds and coalesce(calm_since, ${at}) <= closes then ${at} end
      from changing where alert.id = changing.id and (holds or opened_at is not null)
    ),
    forgotten as (
      delete from ${alert} alert using changing
      where alert.id = changing.id and not holds and opened_at is null
    )
    -- Locks before it inserts, or two checks with different findings would deadlock.
    select exists (select from changing) or exists (select from noticed)
      or exists (select from ${alert} where source = $1 and ${isUnnotifiedSql}) as "isUnnotified"`
}

/**
 * SQL for the time when the latest pause of the source `$1` ended; 'infinity' during one. Events
 * that a pause kept out are reported with the pause, not again after it ends.
 */
export function missedAfterSql(context: InboxStore): string {
  return `(select coalesce(closed_at, 'infinity') from ${alertTableOf(context)}
    where source = $1 and rule = 'probable_pause' and opened_at is not null
    order by id desc limit 1)`
}
