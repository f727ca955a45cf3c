import type { FeedEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { storable, summaryOf, withStep, type Incident, type Step } from './incident.ts'

/** They are created in the schema `incidents`. */
export const tables = {
  '0001-incident.sql': `
    create table incident (
      id          text primary key,
      provider    text not null,
      subject     text not null,
      state       text not null,
      title       text not null,
      source_url  text not null,
      started_at  timestamptz not null,
      resolved_at timestamptz,
      thread      text,
      steps       jsonb not null
    );
    create index on incident (provider) where state = 'open';
    create index on incident (subject, started_at);
    create index on incident using gin (steps jsonb_path_ops);`,
}

/**
 * Adds a step to the incident that its event belongs to, or begins one. Returns all of it; null for
 * the background of an outage before this app received the feed, which does not begin one.
 */
export async function saveStep(tx: Tx, event: FeedEvent, step: Step): Promise<Incident | null> {
  const before = await findIncident(tx, event, step)
  if (before.steps.length === 0 && event.pull?.incident?.phase === 'context') return null
  step.hasMessage ||= before.steps.some((one) => one.eventId === event.id && one.hasMessage)
  const saved = withStep(before, step)
  const { id, provider, subject, steps } = saved
  const { state, resolvedAt, first } = summaryOf(saved)
  const { title, sourceUrl, observedAt } = first
  await tx.query(
    `insert into incidents.incident values ($1, $2, $3, $4, $5, $6, $7, $8, null, $9)
     on conflict (id) do update set state = excluded.state, title = excluded.title,
       source_url = excluded.source_url, started_at = excluded.started_at,
       resolved_at = excluded.resolved_at, steps = excluded.steps`,
    [id, provider, subject, state, title, sourceUrl, observedAt, resolvedAt, JSON.stringify(steps)],
  )
  return saved
}

/**
 * Only the pull API names the first event of an incident. Other events belong to the one that was
 * open on their subject at their time, and an update also to one that had ended within a day.
 */
async function findIncident(
  tx: Tx,
  { id: eventId, data: { provider: name, subject: about }, pull }: FeedEvent,
  { phase, observedAt }: Step,
): Promise<Incident> {
  const root = pull?.incident?.rootEventId
  const id = root ?? eventId
  const provider = storable(name)
  const subject = JSON.stringify([provider, about.type, about.key])
  // There is no row to lock yet if two events begin an incident at once.
  await tx.query(`select pg_advisory_xact_lock(hashtext('incident'), hashtext($1))`, [provider])
  const has = (step: Partial<Step>) => JSON.stringify([step])
  const named = '(id = $1 or steps @> $2::jsonb or steps @> $3::jsonb)'
  const wasOpen = '(resolved_at is null or resolved_at >= $6)'
  const explains = `($7 = 'updated' and resolved_at >= $6::timestamptz - interval '1 day')`
  const { rows } = await tx.query<Incident>(
    `select id, provider, subject, thread, steps from incidents.incident
     where ${named} or (
       $4 and subject = $5 and state <> 'retracted' and (${wasOpen} or ${explains})
       and not ($7 = 'started' and steps @> '[{"phase": "started"}]')
     )
     order by ${named} desc, started_at <= $6 desc, ${wasOpen} desc, state <> 'early_signal' desc,
       started_at desc
     limit 1`,
    [id, has({ eventId }), has({ eventId: id }), root === undefined, subject, observedAt, phase],
  )
  return rows[0] ?? { id, provider, subject, thread: null, steps: [] }
}

/** Saves the thread of an incident, unless it has one by now. */
export async function saveThread(tx: Tx, { id }: Incident, thread: string): Promise<void> {
  await tx.query('update incidents.incident set thread = coalesce(thread, $2) where id = $1', [
    id,
    thread,
  ])
}
