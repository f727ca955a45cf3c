import { oddBodies } from './odd-bodies.ts'
import { procedures } from './procedures.ts'
import { restartChecks } from './restart.ts'
import { rows, type Row } from './rows.ts'
import { entriesOf } from '../texts.ts'
import { judges, sending, type Run } from './verdict.ts'

/** What is no row of data, by the name of its check. */
const coded = new Map<string, Run>(
  Object.entries({ ...oddBodies, ...procedures, ...restartChecks }),
)

/** Every check, in the order of the report. */
export const checks = rows.map(({ pace, text, row }) => {
  const run = coded.get(text.name) ?? runOf(row)
  if (run) return { pace, text, run }
  throw new Error(`checks.json does not say what ${text.name} sends`)
})

function runOf(row: Row): Run | undefined {
  const [found] = entriesOf(judges).flatMap(([name, judge]) => {
    const sent = row[name]
    return sent ? [sending(judge, sent)] : []
  })
  return found
}
