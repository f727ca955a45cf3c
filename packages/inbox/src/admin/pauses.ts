import { knownTypes } from '@feed-receiver/core/internal'
import type { Queryable, Tx } from '@feed-receiver/database'
import { cleanText } from '../clean-text.ts'
import { hasEndedSql, isPendingSql } from '../entry/entry-filter.ts'
import { didYouMean } from '../closest.ts'
import { isoTime } from '../entry/sql.ts'
import type { Tables } from '../entry/tables.ts'
import { checkOption, InboxError } from '../errors.ts'
import { notifyPausesSql } from '../queue/notify.ts'
import type { InboxContext } from '../context.ts'
import { recordOperation, type OperatorOptions } from './operations.ts'

export interface PauseOptions extends OperatorOptions {
  /**
   * The event types to pause.
   * @default the whole inbox
   */
  types?: readonly string[] | undefined
  /** The reason, for people who look later; up to 500 characters. */
  reason: string
  /**
   * Pauses even a type that the service does not document and that was never stored.
   * @default false
   */
  force?: boolean | undefined
}

export interface ResumeOptions extends OperatorOptions {
  /**
   * The paused event types to resume.
   * @default the whole inbox; types that are paused by name stay paused
   */
  types?: readonly string[] | undefined
}

/** A pause in force. The time is ISO 8601 in UTC. */
export interface PauseRow {
  /** The paused event type; null if the whole inbox is paused. */
  type: string | null
  reason: string
  /** Who paused it, if given. */
  by: string | null
  since: string
}

/** The pauses that a resume ended, and those still in force. */
export interface Resumed {
  resumed: PauseRow[]
  stillPaused: PauseRow[]
}

/** The pauses in force: the whole inbox first, then types by name. */
export async function listPauses(context: InboxContext): Promise<PauseRow[]> {
  return await readPauses(context.database, context)
}

/**
 * Pauses the whole inbox or some types, all or none of them, and returns these pauses. Errors:
 * `already_paused`, `unknown_type`, `bad_option`.
 */
export async function pauseInbox(
  context: InboxContext,
  options: PauseOptions,
): Promise<PauseRow[]> {
  const { reason, by, force = false } = options
  const types = readTypes(options)
  const isReason = typeof reason === 'string' && reason.trim() !== '' && reason.length <= 500
  checkOption(isReason, 'reason: use 1 to 500 characters.')
  return await context.database.tx(async (tx) => {
    await lockPauses(tx, context)
    const paused = await readPauses(tx, context)
    const before = paused.find((pause) => types.includes(pause.type ?? ''))
    if (before) throw alreadyPaused(before)
    if (!force) await assertTypes(tx, context, types)
    await tx.query(
      `insert into ${context.tables.pause} (source, type, reason, paused_by)
       select $1, type, $3, $4 from unnest($2::text[]) as type`,
      [context.source, types, cleanText(reason), by === undefined ? null : cleanText(by)],
    )
    await recordOperation(tx, context, 'pause', by, [], { detail: `${nameAll(types)}: ${reason}` })
    await tx.query(notifyPausesSql(context.queue))
    return (await readPauses(tx, context)).filter(({ type }) => types.includes(type ?? ''))
  })
}

/**
 * Ends the pause of the whole inbox or of some types, all or none. Errors: `not_paused`,
 * `bad_option`.
 */
export async function resumeInbox(
  context: InboxContext,
  options: ResumeOptions = {},
): Promise<Resumed> {
  const types = readTypes(options)
  return await context.database.tx(async (tx) => {
    await lockPauses(tx, context)
    const paused = await readPauses(tx, context)
    const missing = types.find((type) => !paused.some((pause) => (pause.type ?? '') === type))
    if (missing !== undefined) throw notPaused(missing, paused)
    await tx.query(
      `delete from ${context.tables.pause} where source = $1 and type = any($2::text[])`,
      [context.source, types],
    )
    await recordOperation(tx, context, 'resume', options.by, [], { detail: nameAll(types) })
    await tx.query(notifyPausesSql(context.queue))
    const isResumed = ({ type }: PauseRow) => types.includes(type ?? '')
    return {
      resumed: paused.filter(isResumed),
      stillPaused: paused.filter((pause) => !isResumed(pause)),
    }
  })
}

export function describePause({ type, since, by, reason }: PauseRow) {
  const what = type === null ? 'The inbox' : `The type '${type}'`
  return { what, since, by: by ?? 'an unnamed person', reason }
}

/**
 * Serializes pauses: of two concurrent ones, the second sees the result of the first. Workers can
 * still read.
 */
async function lockPauses(tx: Tx, { tables }: InboxContext): Promise<void> {
  await tx.query(`lock table ${tables.pause} in share row exclusive mode`)
}

async function readPauses(database: Queryable, context: InboxContext): Promise<PauseRow[]> {
  return (await database.query<PauseRow>(pausesSql(context.tables), [context.source])).rows
}

/** SQL for the pauses of the source `$1`. */
export function pausesSql({ pause }: Tables): string {
  return `select nullif(type, '') as type, reason, paused_by as by, ${isoTime('paused_at')} as since
    from ${pause} where source = $1 order by pause.type`
}

/** The types as the table has them. An empty type stands for the whole inbox. */
function readTypes({ types }: { types?: readonly string[] | undefined }): string[] {
  if (types === undefined) return ['']
  const isList = Array.isArray(types) && types.length > 0
  checkOption(isList, 'types: name one or more event types, or leave it out for the whole inbox.')
  for (const type of types) {
    const isName = typeof type === 'string' && type !== '' && type === cleanText(type)
    checkOption(isName, 'types: use event types of 1 to 500 characters.')
  }
  return [...new Set(types)]
}

/** A mistyped type would pause nothing. */
async function assertTypes(
  tx: Tx,
  { tables, source }: InboxContext,
  types: string[],
): Promise<void> {
  const known = new Set<string>(['', ...knownTypes])
  for (const type of types.filter((name) => !known.has(name))) {
    const stored = (state: string) =>
      `exists (select 1 from ${tables.entry} where source = $1 and type = $2 and ${state})`
    const { rows } = await tx.query<{ isStored: boolean }>(
      `select ${stored(isPendingSql)} or ${stored(hasEndedSql)} as "isStored"`,
      [source, type],
    )
    if (rows[0]?.isStored) continue
    const guess = didYouMean(type, knownTypes)
    throw new InboxError(
      'unknown_type',
      `The event type '${type}' is neither documented nor stored.${guess} Correct the name, or set force to pause it before its first event.`,
    )
  }
}

function alreadyPaused(pause: PauseRow): InboxError {
  const { what, since, by, reason } = describePause(pause)
  const message = `${what} is already paused, since ${since} by ${by}: ${reason}. Nothing was changed; to give another reason, resume it first.`
  return new InboxError('already_paused', message)
}

function notPaused(type: string, paused: readonly PauseRow[]): InboxError {
  const what = type === '' ? 'The inbox as a whole' : `The type '${type}'`
  const names = paused.map((pause) => pause.type ?? 'the whole inbox')
  const others = names.length === 0 ? 'Nothing is paused' : `Paused now: ${names.join(', ')}`
  return new InboxError('not_paused', `${what} is not paused, so nothing was changed. ${others}.`)
}

function nameAll(types: readonly string[]): string {
  return types[0] === '' ? 'the whole inbox' : types.join(', ')
}
