import type { Database } from '@feed-receiver/database'

const head = [
  'observed_at',
  'provider',
  'subject',
  'title',
  'summary',
  'status',
  'evidence',
  'published_at',
  'source_url',
  'event_id',
]

/** The changes as CSV, oldest first, of all providers or of one. */
export async function pricesToCsv(
  database: Pick<Database, 'query'>,
  { provider = null }: { provider?: string | null } = {},
): Promise<string> {
  const { rows } = await database.query(
    `select *, case when is_retracted then 'retracted' when is_confirmed then 'confirmed'
       else 'early signal' end as status
     from price_history.change
     where $1::text is null or provider = $1 order by observed_at, event_id`,
    [provider],
  )
  return [head, ...rows.map((row) => head.map((name) => row[name]))].map(toLine).join('')
}

function toLine(values: readonly unknown[]): string {
  return `${values.map((value) => toCell(textOf(value))).join(',')}\r\n`
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : ''
}

/** A spreadsheet runs a cell that begins with one of these characters as a formula. */
function toCell(text: string): string {
  const harmless = /^\s*[=+\-@]|^[\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless
}
