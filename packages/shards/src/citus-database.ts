import { openDatabase } from '@feed-receiver/database'
import type {
  BossOptions,
  Database,
  DatabaseOptions,
  DatabaseTarget,
  TxPart,
} from '@feed-receiver/database'
import { isDatabase } from '@feed-receiver/inbox/internal'

const onCitus = Symbol('@feed-receiver/shards/citus')

/**
 * A database for inboxes on a Citus cluster, to pass to `createInbox`: it sends in another form
 * what Citus rejects, or runs only while all workers are up. The target is the coordinator. Close
 * it after its inboxes have stopped. Errors: `DatabaseError` `bad_target` and `bad_option`.
 */
export function citusDatabase(
  target: DatabaseTarget | Database,
  options?: DatabaseOptions,
): Database {
  const database = isDatabase(target) ? target : openDatabase(target, options)
  /** The few statements that store events, which run often. */
  const rewritten = new Map<string, string>()
  const rewrite = (text: string): string => {
    const known = rewritten.get(text)
    if (known !== undefined) return known
    if (text.startsWith('with given as materialized (')) {
      const other = rewriteStore(text)
      rewritten.set(text, other)
      return other
    }
    return text.startsWith('select name as "table", sequence') ? noSequences(text) : text
  }

  const rewritePart = (tx: TxPart): TxPart => ({
    get isBegun() {
      return tx.isBegun
    },
    query: (text, values) => tx.query(rewrite(text), values),
    executeSql: tx.executeSql,
    afterCommit: tx.afterCommit,
    // A kept plan would keep the time of job_now(), which is immutable there.
    endWith: (statement) => tx.endWith({ ...statement, isRepeated: false }),
  })

  const citus: Database & { [onCitus]: true } = {
    ...database,
    [onCitus]: true,
    query: (text, values, how) => database.query(rewrite(text), values, how),
    tx: (run, how) =>
      database.tx(
        (tx) =>
          run(
            Object.assign(rewritePart(tx), {
              part: <T>(runPart: (part: TxPart) => Promise<T>) =>
                tx.part((part) => runPart(rewritePart(part))),
            }),
          ),
        how,
      ),
    bossOptions: () => rewriteBoss(database.bossOptions()),
  }
  return citus
}

/** Whether a database comes from `citusDatabase`. */
export function isCitusDatabase(database: Database): boolean {
  return onCitus in database
}

/**
 * Rewrites the statement that stores new events and their jobs. Citus sends an insert to the worker
 * of its schema only if all expressions are immutable, and it selects from a table of that schema.
 * Any other insert needs all workers, and fails while one is down. So the values that differ from
 * job to job are computed beforehand, in `given`. Throws if it does not know the statement.
 */
export function rewriteStore(text: string): string {
  const [, rows = ''] = find(text, /\(select \* from ([\s\S]+?)\),\s+stored as \(/)
  const [queue, schema = ''] = find(text, /(\w+)\.queue on queue\.name = '[^']*'/)
  const now = `${schema}\\.job_now\\(\\)`
  const [times, inTurn = ''] = find(
    text,
    new RegExp(
      String.raw`${now}( \+ row_number\(\) over \(order by )?[^\n]*?, ${now}, ${now} \+ queue\.retention_seconds \* interval '1 second'`,
    ),
  )
  // The time of receipt is a column of a delivery, and follows from the position of a pulled event.
  const [receivedAt] = /\$\d+::timestamptz \+ position \* interval '1 microsecond'/.exec(text) ?? [
    'received_at',
  ]
  const turn = `row_number() over (order by ${receivedAt}, event_id) * interval '1 microsecond'`
  // Not job_now(), which is immutable there, so a cached plan would keep its time.
  const columns = `gen_random_uuid() as job_id, now() as job_start_after,
      now() ${inTurn === '' ? '' : `+ ${turn}`} as job_created_on,
      extract(epoch from now())::double precision as job_epoch`
  return [
    [`(select * from ${rows})`, `(select *, ${columns} from ${rows})`],
    ['from given\n      order by event_id', `from ${rows}\n      order by event_id`],
    ['= given.event_id\n', `= given.event_id\n      join ${queue}\n`],
    ['select gen_random_uuid(), queue.name', 'select given.job_id, queue.name'],
    [
      times,
      'given.job_created_on, given.job_start_after, to_timestamp(given.job_epoch + queue.retention_seconds)',
    ],
    [
      'from stored left join',
      'from stored join given on given.event_id = stored."eventId" left join',
    ],
  ].reduce((changed, [part = '', other = '']) => {
    if (!changed.includes(part)) throw unknownStatement(part)
    // As a function, because a text may contain $1.
    return changed.replace(part, () => other)
  }, text)
}

function find(text: string, pattern: RegExp): RegExpExecArray {
  const found = pattern.exec(text)
  if (!found) throw unknownStatement(pattern.source)
  return found
}

function unknownStatement(part: string): Error {
  return new Error(`This version of the inbox stores events by a statement without: ${part}`)
}

/** Ids come from sequences of the worker, so those of the coordinator say nothing. */
function noSequences(text: string): string {
  return `${text} and false`
}

/**
 * Rewrites parts of pg-boss's statements that Citus rejects, because they depend on the time zone:
 * a time plus an interval, in a COALESCE or in the conditions of an UPDATE. Subtracted times do not
 * depend on it. If pg-boss means long ago, any old time will do.
 */
export function rewriteBoss(options: BossOptions): BossOptions {
  const { db } = options
  // Without further options, because a kept plan would keep the time of job_now().
  const executeSql: typeof db.executeSql = (text, values) =>
    db.executeSql(
      text
        .replaceAll(/\w+\.job_now\(\) - interval '1 week'/g, "timestamptz '2000-01-01 00:00Z'")
        .replaceAll(
          /\(?(\w+_on) \+ (\w+_seconds) \* interval '1s'\)? < (\w+\.job_now\(\))/g,
          "$3 - $1 > $2 * interval '1s'",
        ),
      values,
    )
  // Citus loses notifications, and nothing says so.
  const listen: typeof db.listen = async (...args) => ({
    ...(await db.listen(...args)),
    isListening: () => false,
  })
  return { ...options, db: { ...db, executeSql, listen } }
}
