import type { Database } from '@feed-receiver/database'
import type { Handler } from '@feed-receiver/inbox'

/** They are created in the schema `digest`. */
export const tables = {
  '0001-digest.sql': `
    create table mail (
      id          bigint generated always as identity primary key,
      planned_at  timestamptz not null default now(),
      sent_at     timestamptz,
      given_up_at timestamptz
    );
    create table item (
      event_id           text primary key,
      category           text not null,
      provider           text not null,
      title              text not null,
      source_url         text not null,
      observed_at        timestamptz not null,
      is_confirmed       boolean not null,
      is_retracted       boolean not null,
      mail_id            bigint references mail,
      retraction_mail_id bigint references mail
    );
    create index on item (mail_id);`,
}

export interface Item {
  category: string
  provider: string
  title: string
  sourceUrl: string
  observedAt: Date
  /** Whether it was in an earlier mail, and this one takes it back. */
  isTakenBack: boolean
}

export interface Mail {
  id: number
  items: Item[]
}

export const recordItem: Handler = async ({ id, created_at, data, pull }, { tx }) => {
  // PostgreSQL stores no zero byte in a text.
  const texts = [id, data.category, data.provider, data.title, data.source_url].map((text) =>
    text.replace(/\0/g, ''),
  )
  const isConfirmed = data.confirmation === 'confirmed'
  const isRetracted = Boolean(pull?.retractedAt)
  await tx.query(
    `insert into digest.item values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (event_id) do update set category = excluded.category,
       provider = excluded.provider, title = excluded.title, source_url = excluded.source_url,
       is_confirmed = excluded.is_confirmed, is_retracted = excluded.is_retracted`,
    [...texts, created_at, isConfirmed, isRetracted],
  )
}

/** Puts every item that is in no mail yet into a new one, so that no mail repeats another. */
export async function planMail(database: Database): Promise<void> {
  await database.tx(async (tx) => {
    await tx.query('lock table digest.mail in share row exclusive mode')
    const { rows } = await tx.query<{ id: number }>(
      `insert into digest.mail (sent_at)
       select null where exists (select from digest.item where ${isNew} or ${isTakenBack})
       returning id`,
    )
    const [mail] = rows
    if (!mail) return
    await tx.query(`update digest.item set mail_id = $1 where ${isNew}`, [mail.id])
    await tx.query(`update digest.item set retraction_mail_id = $1 where ${isTakenBack}`, [mail.id])
  })
}

const isNew = '(mail_id is null and is_confirmed and not is_retracted)'
const isTakenBack = '(mail_id is not null and is_retracted and retraction_mail_id is null)'

/** The mails that are neither sent nor given up, oldest first. */
export async function readMail(database: Database): Promise<Mail[]> {
  const { rows } = await database.query<Item & { id: number }>(
    `select mail.id, category, provider, title, source_url as "sourceUrl",
       observed_at as "observedAt", coalesce(mail.id = retraction_mail_id, false) as "isTakenBack"
     from digest.mail join digest.item on mail.id in (mail_id, retraction_mail_id)
     where sent_at is null and given_up_at is null
     order by mail.id, category, provider, observed_at`,
  )
  const ids = [...new Set(rows.map(({ id }) => id))]
  return ids.map((id) => ({ id, items: rows.filter((row) => row.id === id) }))
}

export async function endMail(
  database: Database,
  id: number,
  end: 'sent_at' | 'given_up_at',
): Promise<void> {
  await database.query(`update digest.mail set ${end} = now() where id = $1`, [id])
}
