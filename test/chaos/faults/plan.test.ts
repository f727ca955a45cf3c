import { describe, expect, it } from 'vitest'
import { faults } from './faults/index.ts'
import { holdsOf, makePlan } from './plan.ts'

const amounts = { kills: 20, restarts: 3, others: 40 }

describe('a plan', () => {
  it('is determined by its seed alone', () => {
    const plan = makePlan(faults, { seed: 5, ...amounts })
    expect(makePlan(faults, { seed: 5, ...amounts })).toEqual(plan)
    expect(makePlan(faults, { seed: 6, ...amounts })).not.toEqual(plan)
  })

  it('has the requested number of faults of each kind', () => {
    const kinds = makePlan(faults, { seed: 1, ...amounts }).map(({ fault }) => fault.kind)
    const count = (wanted: string) => kinds.filter((kind) => kind === wanted).length
    expect([count('kill'), count('restart'), count('other')]).toEqual([20, 3, 40])
  })

  it('has every fault once before it repeats one', () => {
    const kills = faults.filter(({ kind }) => kind === 'kill')
    const plan = makePlan(faults, { seed: 1, kills: kills.length, restarts: 0, others: 0 })
    expect(new Set(plan.map(({ fault }) => fault.name)).size).toBe(kills.length)
  })

  it('targets both receivers and both workers', () => {
    const plan = makePlan(faults, { seed: 1, ...amounts })
    const held = new Set(plan.flatMap(holdsOf))
    for (const name of ['receiver-0', 'receiver-1', 'worker-0', 'worker-1']) {
      expect(held).toContain(name)
    }
  })

  it('skips kinds that no chosen fault has', () => {
    const chosen = faults.filter(({ name }) => name === 'latency')
    const plan = makePlan(chosen, { seed: 1, kills: 5, restarts: 5, others: 2 })
    expect(plan.map(({ fault }) => fault.name)).toEqual(['latency', 'latency'])
  })
})

describe('the faults', () => {
  it('have unique names', () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
  })
})
