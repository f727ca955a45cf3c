import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { missing } from '../server/refusals.ts'

/** How often a rule happens; left out, it happens until it is removed. */
export const ruleTimes = z
  .int('expected a whole number')
  .min(1, 'expected 1 or more; leave it out for always')
  .max(1_000_000)
  .optional()
  .meta({ title: 'How often', description: 'Left out, it happens until the rule is deleted.' })

/** @throws Refusal `not_found` if there is none of this id, such as one that is used up. */
export async function deleteRule(
  db: Queryable,
  table: 'api_fault' | 'delivery_fault',
  id: number,
): Promise<void> {
  const { rowCount } = await db.query(`delete from sandbox.${table} where id = $1`, [id])
  if (rowCount === 0) throw missing('fault')
}
