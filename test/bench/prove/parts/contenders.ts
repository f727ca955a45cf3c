import { code, table } from '../../../../docs/.vitepress/reference/markdown.ts'
import { commonFaults } from '../../../chaos/faults/faults/index.ts'
import type { RunResult } from '../../../chaos/faults/run-faults.ts'
import type { Strike } from '../../../chaos/faults/run-plan.ts'
import { contenderNames, contenders, type ContenderName } from '../../contenders/contenders.ts'
import { countsTable, faultsProgram, showRecovery } from '../fault-results.ts'
import type { Column, Part } from '../part.ts'
import { readJson } from '../run-logged.ts'

/** The ones that tell receivers apart in a few minutes. */
const quickFaults =
  'kill-after-insert,kill-after-effect,database-immediate,backlog-crash,primary-killed'

export const contendersPart: Part = {
  name: 'contenders',
  title: 'The same faults on what people would write or take instead',
  intro:
    'Each receiver gets the same plan: one fault at a time, with the same events, the same route and the same handler, which inserts one row into a table without a unique constraint. An effect that is idempotent by itself is doubled by none of them. If a receiver does not recover from a fault within 90 s, its processes are restarted by hand.',
  async run({ seed, isQuick, run }) {
    const results: [ContenderName, RunResult][] = []
    for (const contender of contenderNames) {
      const extent = isQuick ? ['--events', '200', '--fault', quickFaults] : ['--events', '2000']
      const options = ['--json', '--contender', contender, '--seed', `${seed}`, ...extent]
      const command = await run(`contenders-${contender}`, [faultsProgram, ...options])
      results.push([contender, readJson<RunResult>(command)])
    }
    const [, ours] = results.find(([contender]) => contender === 'feed-receiver') ?? []
    return {
      problems: ours?.problems ?? ['It did not run.'],
      columns: columnsOf(results),
      body: [
        countsTable(results.map(([contender, result]) => [contenders[contender].title, result])),
        recoveries(results),
        remarks,
      ].join('\n\n'),
      data: Object.fromEntries(results),
    }
  },
}

function columnsOf(results: readonly [ContenderName, RunResult][]): Column[] {
  const column = (title: string, show: (result: RunResult) => string): Column => ({
    title,
    of: Object.fromEntries(results.map(([contender, result]) => [contender, show(result)])),
  })
  const ofAccepted = (some: readonly number[], { counts }: RunResult) =>
    `${some.length} of ${counts.acknowledged}`
  return [
    column('Lost', (result) => ofAccepted(result.counts.lost, result)),
    column('Doubled', (result) => ofAccepted(result.counts.duplicated, result)),
  ]
}

function recoveries(results: readonly [ContenderName, RunResult][]): string {
  const rows = commonFaults.flatMap(({ name }) => {
    const struck = results.map(([, { strikes }]) => strikes.filter((one) => one.name === name))
    if (struck.every(({ length }) => length === 0)) return []
    return [[code(name), ...struck.map(showOutcome)]]
  })
  const head = ['Time to recover', ...results.map(([contender]) => contenders[contender].title)]
  return table(head, rows)
}

function showOutcome(strikes: readonly Strike[]): string {
  const failed = strikes.find(({ problem }) => problem !== undefined)
  if (!failed) return showRecovery(strikes)
  return failed.proof === undefined ? 'not proved' : 'by hand'
}

const remarks = [
  'An answer is late if it takes longer than the 10 s that the service waits. The time to recover runs until every event of the fault is accepted and no job is left.',
  'The queues retry sooner here than by default: a heartbeat (or lock) of 5 s, and retries after 1 to 4 s. While a primary fails, each contender looks for missed heartbeats by itself, and otherwise the run does so every second.',
  'Redis has no synchronous standby, so the failures of a primary strike only the PostgreSQL that holds the effects; crashes strike both.',
  'A crash ends the processes of a database, not the machine. BullMQ asks for an append-only file, which Debian does not set. One that is synchronised each second survives such a crash, and loses up to a second when the power fails.',
  'pg-boss in transactions is what this kit is built on. What it adds shows in the chapter on conformance, not here.',
].join('\n')
