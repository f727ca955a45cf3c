import { describe, expect, it } from 'vitest'
import type { Fault } from '../faults/fault.ts'
import { primaryFrozen, primaryKilled } from '../faults/faults/primary-fails.ts'
import { runFaults } from '../faults/run-faults.ts'
import type { Way } from '../faults/way.ts'

describe('a failover from a killed or frozen primary', { timeout: 240_000 }, () => {
  it.each<{ way: Way; faults: Fault[] }>([
    { way: 'haproxy', faults: [primaryFrozen, primaryKilled] },
    // The proxy behind PgBouncer fails over.
    { way: 'pgbouncer', faults: [primaryFrozen] },
    { way: 'hosts', faults: [primaryFrozen, primaryKilled] },
  ])('loses and duplicates nothing by $way', async ({ way, faults }) => {
    const plan = faults.map((fault) => ({ fault, which: 0, seed: 1 }))
    const { problems, counts, strikes } = await runFaults({ seed: 21, events: 300, plan, way })
    console.log(strikes.map(({ name, proof }) => `${way}, ${name}: ${proof}`).join('\n'))
    expect(problems).toEqual([])
    expect(counts).toMatchObject({ lost: [], duplicated: [], unexpected: 0, pausing: 0 })
  })
})
