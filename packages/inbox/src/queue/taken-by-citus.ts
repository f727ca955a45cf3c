import type { BossDb, BossOptions } from '@feed-receiver/database'

/**
 * Says in the statements of pg-boss in other words what Citus refuses, because it depends on the time
 * zone: a time and an interval, added up in a COALESCE or in the conditions of an UPDATE. Times that are
 * subtracted do not, and where pg-boss means long ago, any such time will do.
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
