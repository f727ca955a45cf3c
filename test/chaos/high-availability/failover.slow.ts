import { describe, expect, it } from 'vitest'
import type { Fault } from '../faults/fault.ts'
import { primaryFrozen, primaryKilled } from '../faults/faults/primary-fails.ts'
import { runFaults } from '../faults/run-faults.ts'
import type { DatabaseRoute } from '../faults/database-route.ts'

describe('a failover from a killed or frozen primary', { timeout: 240_000 }, () => {
  it.each<{ route: DatabaseRoute; faults: Fault[] }>([
    { route: 'haproxy', faults: [primaryFrozen, primaryKilled] },
    // The proxy behind PgBouncer fails over.
    { route: 'pgbouncer', faults: [primaryFrozen] },
    { route: 'hosts', faults: [primaryFrozen, primaryKilled] },
  ])('loses and duplicates nothing by $route', async ({ route, faults }) => {
    const plan = faults.map((fault) => ({ fault, which: 0, seed: 1 }))
    const { problems, counts, strikes } = await runFaults({ seed: 21, events: 300, plan, route })
    console.log(strikes.map(({ name, proof }) => `${route}, ${name}: ${proof}`).join('\n'))
    expect(problems).toEqual([])
    expect(counts).toMatchObject({ lost: [], duplicated: [], unexpected: 0, pausing: 0 })
  })
})
