import type { Queryable } from '@feed-receiver/database'
import { isoTime } from '../entry/iso-time.ts'
import { quarantinedRowColumns, type QuarantinedRow } from './list-quarantined.ts'

/** All that is known about one delivery in quarantine. */
export interface QuarantinedDetails extends QuarantinedRow {
  /** The exact bytes that were signed, in Base64. */
  bodyBase64: string
  sha256: string
  headers: Record<string, string>
  /** Fingerprint of the secret that had signed it (R204). */
  signedBy: string
  signedAt: string
}

/** One row of quarantine; null where there is none. */
export async function getQuarantined(
  db: Queryable,
  table: string,
  source: string,
  id: number,
): Promise<QuarantinedDetails | null> {
  const { rows } = await db.query<QuarantinedDetails>(
    `select ${quarantinedRowColumns}, translate(encode(body, 'base64'), e'\\n', '') as "bodyBase64",
       sha256, headers, signed_by as "signedBy", ${isoTime('signed_at')} as "signedAt"
     from ${table}
     where source = $1 and id = $2`,
    [source, id],
  )
  return rows[0] ?? null
}
