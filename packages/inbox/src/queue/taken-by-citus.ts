import type { BossDb, BossOptions } from '@feed-receiver/database'

/**
 * Rewrites parts of pg-boss's statements that Citus rejects, because they depend on the time zone:
 * a time plus an interval, in a COALESCE or in the conditions of an UPDATE. Subtracted times do not
 * depend on it. If pg-boss means long ago, any old time will do.
 */
export function takenByCitus(options: BossOptions, schema: string): BossOptions {
  const now = `${schema}.job_now()`
  const longAgo = `${now} - interval '1 week'`
  const { db } = options
  const executeSql: BossDb['executeSql'] = (text, values) =>
    db.executeSql(
      text
        .replaceAll(longAgo, "timestamptz '2000-01-01 00:00Z'")
        .replaceAll(isOver, (whole, since: string, seconds: string, of: string) =>
          of === schema ? `${now} - ${since} > ${seconds} * interval '1s'` : whole,
        ),
      values,
    )
  return { ...options, db: { ...db, executeSql } }
}

const isOver = /\(?(\w+_on) \+ (\w+_seconds) \* interval '1s'\)? < (\w+)\.job_now\(\)/g
