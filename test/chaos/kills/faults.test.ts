import { rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { faults } from '../faults/faults/index.ts'
import { makePlan } from '../faults/plan.ts'
import { runFaults } from '../faults/run-faults.ts'

const brokenProgram = (name: string) =>
  new URL(`../faults/programs/broken-${name}.ts`, import.meta.url)

describe('a fault run', { timeout: 180_000 }, () => {
  it('detects losses of a receiver that responds first, and duplicates of a worker without tx', async () => {
    const chosen = faults.filter(({ name }) => /^(kill-after-answer|kill-after-effect)$/.test(name))
    const { counts, problems, folder } = await runFaults({
      seed: 12,
      events: 100,
      plan: makePlan(chosen, { seed: 12, kills: 2, restarts: 0, others: 0 }),
      programs: { receiver: brokenProgram('receiver'), worker: brokenProgram('worker') },
    })
    expect(counts.lost).not.toEqual([])
    expect(counts.duplicated).not.toEqual([])
    expect(problems).toContainEqual(expect.stringMatching(/^Lost: /))
    expect(problems).toContainEqual(expect.stringMatching(/^Duplicated: /))
    await rm(folder ?? '', { recursive: true })
  })
})
