import type { Database } from '@feed-receiver/database'
import type { Handler, Handlers } from '@feed-receiver/inbox'

/** They are created in the schema `price_history`. */
export const tables = {
  '0001-change.sql': `
    create table change (
      event_id     text primary key,
      provider     text not null,
      subject      text,
      title        text not null,
      summary      text,
      evidence     text not null,
      source_url   text not null,
      published_at text,
      observed_at  timestamptz not null,
      is_confirmed boolean not null,
      is_retracted boolean not null
    );
    create index on change (provider, observed_at);`,
}

/** Keeps every change of a price, with its evidence. */
export async function createPriceHistory({ database }: { database: Database }): Promise<Handlers> {
  await database.migrate(tables, { schema: 'price_history' })
  return { pricing_update: record, pricing_changed: record }
}

const record: Handler = async ({ id, created_at, data, pull }, { tx }) => {
  const { provider, subject, title, summary, evidence, source_url, source_published_at } = data
  const isConfirmed = data.confirmation === 'confirmed'
  const isRetracted = Boolean(pull?.retractedAt)
  await tx.query(
    `insert into price_history.change values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (event_id) do update set subject = excluded.subject, title = excluded.title,
       summary = excluded.summary, evidence = excluded.evidence, source_url = excluded.source_url,
       published_at = excluded.published_at, is_confirmed = excluded.is_confirmed,
       is_retracted = excluded.is_retracted`,
    [
      id,
      provider,
      subject.key,
      title,
      summary,
      evidence,
      source_url,
      source_published_at,
      created_at,
      isConfirmed,
      isRetracted,
    ].map(storable),
  )
}

/** PostgreSQL stores no zero byte in a text. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\0/g, '') : value
}
