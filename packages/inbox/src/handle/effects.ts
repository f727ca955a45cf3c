import type { Queryable } from '@feed-receiver/database'
import type { Tables } from '../entry/tables.ts'
import { problem } from '../errors.ts'

export interface Effects {
  /**
   * Does something outside the database once for this entry and key: a later try of the handler gets
   * what the first one gave, without doing it again. The result is kept as JSON.
   *
   * Where the process dies or the database fails between the effect and its note, it is done once more,
   * with the same `idempotencyKey`: hand that to an API that takes one. Errors: `effect_inside_tx` after
   * the first statement through `tx`; those of the function itself, which leave no note.
   */
  once<Result>(
    key: string,
    run: (context: EffectContext) => Result | Promise<Result>,
  ): Promise<Result>
}

export interface EffectContext {
  /**
   * The same for every try of this effect, and for no other effect. A replay with `effects: 'again'`
   * has another one.
   */
  idempotencyKey: string
}

/**
 * Makes the ledger of one run of a handler. `query` runs outside of the handler's transaction;
 * `isTxBegun` says whether that transaction holds a connection by now.
 */
export function openEffects(
  query: Queryable['query'],
  { effect: table, entry: entryTable }: Tables,
  entry: { id: number; key: string; round: number },
  isTxBegun: () => boolean,
): Effects {
  return {
    async once<Result>(key: string, run: (context: EffectContext) => Result | Promise<Result>) {
      // On the embedded database it would wait for its own transaction, and on PostgreSQL for a second
      // connection that its neighbours may hold.
      if (isTxBegun()) throw problem('effect_inside_tx', { key })
      const { rows } = await query<{ outcome: string }>(
        `select outcome from ${table} where entry_id = $1 and key = $2`,
        [entry.id, key],
      )
      if (rows[0]) {
        const kept: { result: Result } = JSON.parse(rows[0].outcome)
        return kept.result
      }
      const idempotencyKey = `${entry.key}/${key}${entry.round === 0 ? '' : `/${entry.round}`}`
      const result = await run({ idempotencyKey })
      const { json, cause } = toJson({ result })
      // Noted whatever it gave: it has happened. But what an abandoned run of an earlier round did is
      // no reason to leave it out of this one.
      await query(
        `with entry as (select id from ${entryTable} where id = $1 and effect_round = $4)
         insert into ${table} (entry_id, key, outcome)
         select id, $2, $3 from entry
         on conflict (entry_id, key) do nothing`,
        [entry.id, key, json, entry.round],
      )
      if (cause) throw problem('bad_result', { key }, { cause })
      return result
    },
  }
}

// An object around the result, since JSON has no word for undefined.
function toJson(outcome: { result: unknown }): { json: string; cause?: unknown } {
  try {
    return { json: JSON.stringify(outcome) }
  } catch (cause) {
    return { json: '{}', cause }
  }
}
