import type { Effect } from './checker.ts'
import type { World } from './world.ts'

/** The rows of the handlers, with the number of each event of this run. */
export async function readEffects(
  { sql }: World,
  seed: number,
): Promise<(Effect & { id: string })[]> {
  const rows = await sql<{ event_id: string; at: Date }>('select event_id, at from effect')
  const ours = new RegExp(`^evt_fault_${seed}_(\\d+)$`)
  return rows.map(({ event_id: id, at }) => {
    const index = ours.exec(id)?.[1]
    return { id, index: index === undefined ? null : Number(index), at: at.getTime() }
  })
}
