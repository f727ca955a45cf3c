import type { Queryable } from '@feed-receiver/database'
import type { Tables } from '../entry/tables.ts'
import { InboxError } from '../errors.ts'

export interface Effects {
  /**
   * Runs something outside the database once for this entry and key. A later attempt of the handler
   * gets the first result without running it again, and so do concurrent calls. The result is
   * stored as JSON.
   *
   * If the process dies or the database fails between the effect and storing its result, the effect
   * runs again with the same `idempotencyKey`: pass it to an API that takes one. Errors:
   * `effect_inside_tx` after the first statement through `tx`; `bad_result` if the result cannot be
   * JSON, such as a function or a BigInt: the effect has happened, and later attempts get undefined.
   * Errors of the function itself store nothing.
   */
  once<Result>(
    key: string,
    run: (context: EffectContext) => Result | Promise<Result>,
  ): Promise<Result>
}

export interface EffectContext {
  /**
   * The same for every attempt of this effect, and different for every other effect. A reprocessing
   * with `effects: 'again'` gets a new one.
   */
  idempotencyKey: string
}

/** The effects of one attempt. */
export interface OpenEffects extends Effects {
  /** Whether the handler has called `once`. */
  areUsed(): boolean
  /** Waits for effects in progress, because a retry would run them beside themselves. */
  drain(): Promise<void>
}

/**
 * Creates the effects of one attempt. `query` runs outside the handler's transaction, and
 * may run a statement twice. `assertMayRun` throws if an effect cannot run in this transaction.
 */
export function openEffects(
  query: Queryable['query'],
  { effect: table, entry: entryTable }: Tables,
  entry: { id: number; source: string; eventId: string; round: number },
  assertMayRun: (key: string) => void,
): OpenEffects {
  const running = new Map<string, Promise<unknown>>()
  let areUsed = false

  return {
    areUsed: () => areUsed,
    once<Result>(
      key: string,
      run: (context: EffectContext) => Result | Promise<Result>,
    ): Promise<Result> {
      areUsed = true
      // The caller of a key knows the type of its result, as for a stored one.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const current = running.get(key) as Promise<Result> | undefined
      const effect = current ?? runOnce(key, run).finally(() => running.delete(key))
      running.set(key, effect)
      return effect
    },
    async drain() {
      await Promise.allSettled(running.values())
    },
  }

  async function runOnce<Result>(
    key: string,
    run: (context: EffectContext) => Result | Promise<Result>,
  ): Promise<Result> {
    assertMayRun(key)
    const { rows } = await query<{ outcome: string }>(
      `select outcome from ${table} where entry_id = $1 and key = $2`,
      [entry.id, key],
    )
    if (rows[0]) {
      const stored: { result: Result } = JSON.parse(rows[0].outcome)
      return stored.result
    }
    const result = await run({ idempotencyKey: idempotencyKeyOf(entry, key) })
    const { json, cause } = toJson({ result })
    // Stored regardless of the result, because the effect has happened. But an abandoned attempt
    // of an earlier round must not suppress this one.
    await query(
      `with entry as (select id from ${entryTable} where id = $1 and effect_round = $4)
         insert into ${table} (entry_id, key, outcome)
         select id, $2, $3 from entry
         on conflict (entry_id, key) do nothing`,
      [entry.id, key, json, entry.round],
    )
    if (cause)
      throw new InboxError(
        'bad_result',
        `effects.once('${key}') ran and is recorded, but its result cannot be stored as JSON. Return JSON or nothing from its function.`,
        { cause },
      )
    return result
  }
}

/** The idempotency key of an effect: `source/event/key`, and `source/event~round/key` in a later round. */
export function idempotencyKeyOf(
  { source, eventId, round }: { source: string; eventId: string; round: number },
  key: string,
): string {
  // Only the key may have slashes, so that no other event and key give the same.
  const event = eventId.replaceAll(/[%/~]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  return `${source}/${event}${round === 0 ? '' : `~${round}`}/${key}`
}

// The embedded database would wait for its own transaction. PostgreSQL would wait for a second
// connection, which other handlers may hold.
export function effectInsideTx(key: string): InboxError {
  const message = `effects.once('${key}') was called after the first statement through tx. Run effects outside the database first, then write through tx.`
  return new InboxError('effect_inside_tx', message)
}

// Wraps the result in an object, because JSON has no undefined.
function toJson(outcome: { result: unknown }): { json: string; cause?: unknown } {
  try {
    const json = JSON.stringify(outcome)
    const { result } = outcome
    // It leaves out a function or a symbol, as it does undefined.
    if (json === '{}' && result !== undefined) throw new TypeError(`It is a ${typeof result}.`)
    return { json }
  } catch (cause) {
    return { json: '{}', cause }
  }
}
