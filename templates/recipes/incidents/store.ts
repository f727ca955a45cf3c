import type { FeedEvent } from '@feed-receiver/core'
import type { Database, Tx } from '@feed-receiver/database'
import { firstOf, latestOf, rootOf, stateOf, subjectOf } from './incident.ts'
import type { Incident, Step } from './incident.ts'

/** They are created in the schema `incidents`. */
export const tables = {
  '0001-incident.sql': `
    create table incident (
      id              text primary key,
      provider        text not null,
      subject         text not null,
      state           text not null,
      title           text not null,
      source_url      text not null,
      started_at      timestamptz not null,
      resolved_at     timestamptz,
      thread_id       text,
      thread_event_id text
    );
    create index on incident (provider) where state = 'open';
    create index on incident (subject, started_at);
    create table step (
      event_id     text primary key,
      incident_id  text not null references incident,
      phase        text not null,
      title        text not null,
      summary      text,
      source_url   text not null,
      observed_at  timestamptz not null,
      is_confirmed boolean not null,
      is_retracted boolean not null
    );
    create index on step (incident_id);`,
}

/** Finds the incident that an event belongs to. */
export async function findIncident(
  database: Database,
  event: FeedEvent,
): Promise<Incident | undefined> {
  const id = (await findByEvents(database, event)) ?? (await findBySubject(database, event))
  return id === undefined ? undefined : await readIncident(database, id)
}

async function findByEvents(database: Database, event: FeedEvent): Promise<string | undefined> {
  const { rows } = await database.query<{ id: string }>(
    `select id from incidents.incident
     where id = $2 or id in (select incident_id from incidents.step where event_id in ($1, $2))`,
    [event.id, rootOf(event)],
  )
  return rows[0]?.id
}

/**
 * A webhook does not name the incident. So it is the one that was open on the subject at the time
 * of the event.
 */
async function findBySubject(database: Database, event: FeedEvent): Promise<string | undefined> {
  if (rootOf(event) !== null) return undefined
  const { rows } = await database.query<{ id: string }>(
    `select id from incidents.incident
     where subject = $1 and state <> 'retracted' and (resolved_at is null or resolved_at >= $2)
       and not ($3 and id in (select incident_id from incidents.step where phase = 'started'))
     order by started_at <= $2 desc, started_at desc
     limit 1`,
    [subjectOf(event), event.created_at, event.type === 'outage_started'],
  )
  return rows[0]?.id
}

async function readIncident(database: Database, id: string): Promise<Incident | undefined> {
  const { rows: incidents } = await database.query<Incident>(
    `select id, provider, subject, case when thread_id is not null
       then json_build_object('id', thread_id, 'eventId', thread_event_id) end as thread
     from incidents.incident where id = $1`,
    [id],
  )
  const { rows: steps } = await database.query<Step>(
    `select event_id as "eventId", phase, title, summary, source_url as "sourceUrl",
       observed_at as "observedAt", is_confirmed as "isConfirmed", is_retracted as "isRetracted"
     from incidents.step where incident_id = $1 order by observed_at`,
    [id],
  )
  return incidents[0] && { ...incidents[0], steps }
}

export async function saveIncident(tx: Tx, incident: Incident): Promise<void> {
  const { id, provider, subject, thread, steps } = incident
  const state = stateOf(incident)
  const { title, sourceUrl } = firstOf(incident)
  const startedAt = steps[0]?.observedAt
  const resolvedAt = state === 'resolved' ? latestOf(incident).observedAt : null
  const ofThread = [thread?.id, thread?.eventId]
  await tx.query(
    `insert into incidents.incident values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (id) do update set state = excluded.state, title = excluded.title,
       source_url = excluded.source_url, started_at = excluded.started_at,
       resolved_at = excluded.resolved_at, thread_id = excluded.thread_id,
       thread_event_id = excluded.thread_event_id`,
    [id, provider, subject, state, title, sourceUrl, startedAt, resolvedAt, ...ofThread],
  )
}

export async function saveStep(tx: Tx, { id }: Incident, step: Step): Promise<void> {
  const { eventId, phase, title, summary, sourceUrl, observedAt, isConfirmed, isRetracted } = step
  await tx.query(
    `insert into incidents.step values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (event_id) do update set title = excluded.title, summary = excluded.summary,
       source_url = excluded.source_url, is_confirmed = excluded.is_confirmed,
       is_retracted = excluded.is_retracted`,
    [eventId, id, phase, title, summary, sourceUrl, observedAt, isConfirmed, isRetracted],
  )
}
