import { boundedCount, countSql, isoTime, type BoundedCount } from '../entry/sql.ts'
import { checkDays } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { distinctValuesSql } from './find-facets.ts'

/** The use of one signing secret. */
export interface SecretUse {
  /** The fingerprint from `fingerprintOf`; never the secret. */
  fingerprint: string
  /** When the first and the last event that it signed were signed. */
  firstSignedAt: string
  lastSignedAt: string
  /** How many events it signed in the last days. */
  recent: BoundedCount
  /** True once another secret has taken over, and this one has signed nothing since. */
  canBeRemoved: boolean
}

export interface SecretsOptions {
  /**
   * How many days back the count of recent events goes.
   * @default 7
   */
  days?: number
}

const maxRecent = 10_000

export async function findSecretUses(
  { database, tables, source }: InboxContext,
  options: SecretsOptions = {},
): Promise<SecretUse[]> {
  const { days = 7 } = options
  checkDays('days', days)
  const recent = `select 1 from ${tables.entry} entry
    where entry.source = $1 and entry.signed_by = used.secret
      and entry.signed_at >= now() - $2::float8 * interval '1 day'`
  const { rows } = await database.query<Omit<SecretUse, 'recent'> & { recent: number }>(
    `with recursive signer as (${distinctValuesSql('signer', tables.entry, 'signed_by', 'true')}),
       used as (${secretUsesSql('signer', tables.entry)})
     select secret as fingerprint, ${isoTime('first_at')} as "firstSignedAt",
       ${isoTime('last_at')} as "lastSignedAt", ${countSql(recent, maxRecent)} as recent,
       exists (select 1 from used later where later.first_at > used.last_at) as "canBeRemoved"
     from used
     order by last_at desc`,
    [source, days],
  )
  return rows.map((row) => ({ ...row, recent: boundedCount(row.recent, maxRecent) }))
}

/** When each secret of the query `signers` signed first and last, for the source `$1`. */
export function secretUsesSql(signers: string, entry: string): string {
  const signedAt = (aggregate: 'min' | 'max') => `(
      select ${aggregate}(signed_at) from ${entry} entry
      where entry.source = $1 and entry.signed_by = ${signers}.value
    )`
  return `select value as secret, ${signedAt('min')} as first_at, ${signedAt('max')} as last_at
      from ${signers} where value is not null`
}
