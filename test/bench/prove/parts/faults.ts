import { faults } from '../../../chaos/faults/faults/index.ts'
import type { RunResult } from '../../../chaos/faults/run-faults.ts'
import { countsTable, faultsProgram, faultsTable } from '../fault-results.ts'
import type { Part } from '../part.ts'
import { readJson } from '../run-logged.ts'

export const faultsPart: Part = {
  name: 'faults',
  title: 'Every fault under load',
  intro:
    'Two receivers, two workers, a sender and PostgreSQL run as processes of their own while faults strike them, several at once. Each fault has to prove that it happened. An event is lost if it was answered with 2xx and its handler has left no row, and doubled if there are two rows. It is recovered if the answer to the attempt that stored it never arrived, and it was handled all the same. The time to recover includes the other faults that strike meanwhile; the chapter above has each fault alone.',
  async run({ seed, isQuick, run }) {
    const events = isQuick ? 1_000 : 6_000
    const result = readJson<RunResult>(
      await run('faults', [faultsProgram, '--json', '--seed', `${seed}`, '--events', `${events}`]),
    )
    const body = [countsTable([['this kit', result]]), faultsTable(result.strikes)].join('\n\n')
    const kinds = new Set(result.strikes.map(({ name }) => name)).size
    const all = faults.filter(({ needsSmallDisk }) => !needsSmallDisk).length
    const verdict = kinds === all ? 'holds' : `holds for ${kinds} of ${all} kinds of faults`
    return { problems: result.problems, verdict, body, data: result }
  },
}
