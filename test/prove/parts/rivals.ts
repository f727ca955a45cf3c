import { code, table } from '../../../docs/.vitepress/reference/markdown.ts'
import { commonFaults } from '../../faults/faults/index.ts'
import type { RunResult } from '../../faults/run-faults.ts'
import { subjectNames, type SubjectName } from '../../faults/subject.ts'
import { countsTable, faultsProgram, showRecovery } from '../fault-results.ts'
import type { Part } from '../part.ts'
import { readJson } from '../run-command.ts'
import { names } from '../receiver-names.ts'

/** The ones that tell receivers apart in a few minutes. */
const quickFaults =
  'kill-after-commit,kill-after-effect,kill-in-handler,database-immediate,backlog-crash,primary-killed,rolling-restart'

export const rivalsPart: Part = {
  name: 'rivals',
  title: 'The same faults on what people would write or take instead',
  intro:
    'Each receiver gets the same plan: one fault at a time, with the same events, the same route and the same handler, which inserts one row into a table without a unique constraint. An effect that is idempotent by itself is doubled by none of them. If a receiver does not recover from a fault within 90 s, its processes are restarted by hand.',
  async run({ seed, isQuick, run }) {
    const results: [SubjectName, RunResult][] = []
    for (const subject of subjectNames) {
      const extent = isQuick ? ['--events', '400', '--fault', quickFaults] : ['--events', '2000']
      const options = ['--json', '--receiver', subject, '--seed', `${seed}`, ...extent]
      const command = await run(`rivals-${subject}`, [faultsProgram, ...options])
      results.push([subject, readJson<RunResult>(command)])
    }
    const [, ours] = results.find(([subject]) => subject === 'feed-receiver') ?? []
    return {
      problems: ours?.problems ?? ['It did not run.'],
      body: [
        countsTable(results.map(([subject, result]) => [names[subject], result])),
        recoveries(results),
        remarks,
      ].join('\n\n'),
      data: Object.fromEntries(results),
    }
  },
}

function recoveries(results: readonly [SubjectName, RunResult][]): string {
  const rows = commonFaults.flatMap(({ name }) => {
    const struck = results.map(([, { strikes }]) => strikes.filter((one) => one.name === name))
    if (struck.every(({ length }) => length === 0)) return []
    const cells = struck.map((strikes) =>
      strikes.some(({ problem }) => problem !== undefined) ? 'by hand' : showRecovery(strikes),
    )
    return [[code(name), ...cells]]
  })
  const head = ['Time to recover', ...results.map(([subject]) => names[subject])]
  return table(head, rows)
}

const remarks = [
  'The queues retry sooner here than by default: a heartbeat (or lock) of 5 s, and retries after 1 to 4 s.',
  'Redis has no synchronous standby, so the failures of a primary strike only the PostgreSQL that holds the effects; crashes strike both.',
  'pg-boss in transactions is what this kit is built on. What it adds shows in the chapter on conformance, not here.',
].join('\n')
