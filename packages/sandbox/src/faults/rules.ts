import type { Database, Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { conflict, missing } from '../server/rejections.ts'

/** How often a rule applies. Without it, the rule applies until it is deleted. */
export const ruleTimes = z
  .int('expected a whole number')
  .min(1, 'expected 1 or more; leave it out to apply it always')
  .max(1_000_000)
  .optional()

export const noFaults = { rejectStrict: () => 'A strict sandbox has no fault injection.' }

export interface FaultRule {
  id: number
  fault: unknown
  /** How often it still applies; null for always. */
  timesLeft: number | null
}

/** The rules of one kind, in their own table. `columns` are those that only this kind has. */
export function ruleTable<Rule extends FaultRule>(table: string, columns: string) {
  const selected = `id, ${columns}, times_left as "timesLeft"`
  const all = `select ${selected} from sandbox.${table} order by id`
  return { list, add, take, delete: remove }

  async function list(db: Queryable): Promise<Rule[]> {
    return (await db.query<Rule>(`${all} limit 1000`)).rows
  }

  /**
   * Undefined if `insert`, SQL that begins with the names of the columns, creates no rule.
   *
   * @throws Rejection `conflict` behind an equal rule that always applies, because the oldest rule
   * applies first.
   */
  async function add(
    db: Queryable,
    insert: string,
    values: unknown[],
    like: { is(rule: Rule): boolean; does: string },
  ): Promise<Rule | undefined> {
    const always = (await list(db)).find((rule) => rule.timesLeft === null && like.is(rule))
    if (always) {
      throw conflict(`Rule ${always.id} ${like.does}. Delete rule ${always.id} first.`)
    }
    const text = `insert into sandbox.${table} ${insert} returning ${selected}`
    return (await db.query<Rule>(text, values)).rows[0]
  }

  /** Gives each target its oldest rules, each fault once, up to `max`. A used-up rule is deleted. */
  async function take<Target>(
    database: Database,
    targets: readonly Target[],
    isFor: (rule: Rule, target: Target) => boolean,
    max = Infinity,
  ): Promise<Rule[][]> {
    return await database.tx(async (tx) => {
      const { rows } = await tx.query<Rule>(`${all} for update`)
      const rules = rows.map((rule) => ({ rule, left: rule.timesLeft ?? Infinity }))
      const taken = targets.map((target) => {
        const given: typeof rules = []
        for (const one of rules) {
          if (given.length === max || one.left === 0 || !isFor(one.rule, target)) continue
          // Another rule with the same fault is for the next time.
          if (given.some(({ rule }) => rule.fault === one.rule.fault)) continue
          one.left -= 1
          given.push(one)
        }
        return given.map(({ rule }) => rule)
      })
      const useSql = `update sandbox.${table} set times_left = $2 where id = $1`
      for (const { rule, left } of rules) {
        if (left === (rule.timesLeft ?? Infinity)) continue
        await (left > 0 ? tx.query(useSql, [rule.id, left]) : remove(tx, rule.id))
      }
      return taken
    })
  }

  /** @throws Rejection `not_found` if no rule has this id, for example because it is used up. */
  async function remove(db: Queryable, id: number): Promise<void> {
    const { rowCount } = await db.query(`delete from sandbox.${table} where id = $1`, [id])
    if (rowCount === 0) throw missing('fault')
  }
}
