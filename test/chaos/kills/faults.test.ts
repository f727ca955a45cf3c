import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { faults } from '../faults/faults/index.ts'
import { makePlan } from '../faults/plan.ts'
import { runFaults, type RunResult } from '../faults/run-faults.ts'
import { builtProgram } from '../../support/built-program.ts'

const command = builtProgram(new URL('../faults/faults.ts', import.meta.url))
const brokenProgram = (name: string) =>
  new URL(`../faults/programs/broken-${name}.ts`, import.meta.url)

describe('a fault run', { timeout: 180_000 }, () => {
  it('loses, duplicates and invents nothing under kills, restarts and other faults [R168]', async () => {
    const plan = ['--events', '300', '--kills', '4', '--restarts', '1']
    const result = await runCommand('--seed', '15', ...plan, '--json')
    expect(result.problems).toEqual([])
    expect(result.counts).toMatchObject({ lost: [], duplicated: [], unexpected: 0 })
    expect(result.counts.processed).toBeGreaterThanOrEqual(300)
    expect(result.kills).toBeGreaterThanOrEqual(4)
    expect(result.strikes.filter(({ proof }) => proof !== undefined)).toHaveLength(result.planned)
  })

  it('detects losses of a receiver that responds first, and duplicates of a worker without tx', async () => {
    const chosen = faults.filter(({ name }) => /^(kill-after-answer|kill-after-effect)$/.test(name))
    const { counts, problems, folder } = await runFaults({
      seed: 12,
      events: 200,
      plan: makePlan(chosen, { seed: 12, kills: 4, restarts: 0, others: 0 }),
      programs: { receiver: brokenProgram('receiver'), worker: brokenProgram('worker') },
    })
    expect(counts.lost).not.toEqual([])
    expect(counts.duplicated).not.toEqual([])
    expect(problems).toContainEqual(expect.stringMatching(/^Lost: /))
    expect(problems).toContainEqual(expect.stringMatching(/^Duplicated: /))
    await rm(folder ?? '', { recursive: true })
  })
})

/** Runs it in its own process, and throws its output unless the exit code is 0. */
async function runCommand(...args: string[]): Promise<RunResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...args], {
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(stdout)
}
