import type { FeedEvent } from '@feed-receiver/core'
import type { Database, Tx } from '@feed-receiver/database'
import { firstOf, latestOf, rootOf, stateOf, subjectOf, withStep } from './incident.ts'
import type { Incident, Step } from './incident.ts'

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
      thread      jsonb,
      steps       jsonb not null
    );
    create index on incident (provider) where state = 'open';
    create index on incident (subject, started_at);
    create index on incident using gin (steps jsonb_path_ops);`,
}

/**
 * Finds the incident that an event belongs to. A webhook does not name it. So it is the one that was
 * open on the subject at the time of the event.
 */
export async function findIncident(
  database: Database,
  event: FeedEvent,
): Promise<Incident | undefined> {
  const root = rootOf(event)
  const has = (eventId: string) => JSON.stringify([{ eventId }])
  const named = '(id = $1 or steps @> $2::jsonb or steps @> $3::jsonb)'
  const { rows } = await database.query<Incident>(
    `select id, provider, subject, thread, steps from incidents.incident
     where ${named} or (
       $4 and subject = $5 and state <> 'retracted' and (resolved_at is null or resolved_at >= $6)
       and not ($7 and steps @> '[{"phase": "started"}]')
     )
     order by ${named} desc, started_at <= $6 desc, started_at desc
     limit 1`,
    [
      root ?? event.id,
      has(event.id),
      has(root ?? event.id),
      root === null,
      subjectOf(event),
      event.created_at,
      event.type === 'outage_started',
    ],
  )
  return rows[0]
}

/** Adds the step to what is stored by now, and saves the incident with its thread. */
export async function saveIncident(tx: Tx, incident: Incident, step: Step): Promise<void> {
  const { id, provider, subject, thread } = incident
  // Only a row that exists can be locked, and two events may begin the incident at once.
  await tx.query(
    `insert into incidents.incident
       (id, provider, subject, state, title, source_url, started_at, steps)
     values ($1, $2, $3, 'retracted', '', '', now(), '[]')
     on conflict (id) do nothing`,
    [id, provider, subject],
  )
  const { rows } = await tx.query<Pick<Incident, 'steps'>>(
    'select steps from incidents.incident where id = $1 for update',
    [id],
  )
  const saved = withStep({ ...incident, ...rows[0] }, step)
  const state = stateOf(saved)
  const { title, sourceUrl } = firstOf(saved)
  const startedAt = saved.steps[0]?.observedAt
  const resolvedAt = state === 'resolved' ? latestOf(saved).observedAt : null
  await tx.query(
    `update incidents.incident set state = $2, title = $3, source_url = $4, started_at = $5,
       resolved_at = $6, thread = coalesce(thread, $7), steps = $8
     where id = $1`,
    [
      id,
      state,
      title,
      sourceUrl,
      startedAt,
      resolvedAt,
      thread && JSON.stringify(thread),
      JSON.stringify(saved.steps),
    ],
  )
}
