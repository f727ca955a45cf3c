import type { Figure } from '../../figure.ts'
import { contenderNames, type ContenderName } from '../../contenders/contenders.ts'
import type { Column, Part } from '../part.ts'
import { readJson } from '../run-logged.ts'
import { speedTables } from '../speed-tables.ts'

/** How many entries are there already, in the last comparison. To store more takes most of an hour. */
const entries = ['1000000', '5000000']

const remarks = [
  'All contenders do the work that a careful user wants, and `feed-receiver` does more:',
  '- **verify** and **receive**: `feed-receiver` also checks the schema, and finds duplicates in memory. The signatures of Octokit have no timestamp, so it accepts a delivery of any age.',
  '- **accept**: `feed-receiver` also has a deadline of 8 s and a quarantine, and stores who signed and every duplicate. `bullmq` may lose what it accepted since its last snapshot; the others have it on disk.',
  '- **handle**: every contender reads the event, parses it and inserts one row. `feed-receiver`, `pg-boss` and `pg-boss-notify` commit that row with the end of the job; with `naive` and `bullmq` it can appear twice. `feed-receiver` also records every attempt.',
  '- The comparison with many entries leaves BullMQ out: it holds every job in memory, and removes jobs that are done.',
  '- **start** and **memory** are those of the Node process.',
].join('\n')

export const speedPart: Part = {
  name: 'speed',
  title: 'Speed beside what people pick',
  intro:
    'All contenders take turns in one run, round after round, so that other load on the machine affects all of them equally. A figure is the median of its rounds, and its spread the middle half of them. Costs are for each event.',
  async run({ isQuick, run }) {
    const extent = isQuick ? ['--quick'] : entries.flatMap((count) => ['--entries', count])
    const options = ['beside', ...extent, '--json']
    const command = await run('speed', ['--import', 'tsx', 'test/bench/bench.ts', ...options])
    const figures = readJson<Figure[]>(command)
    return {
      problems: [],
      verdict: 'measured',
      columns: [acceptedPerSecond(figures)],
      body: [remarks, ...speedTables(figures)].join('\n\n'),
      data: figures,
    }
  },
}

function acceptedPerSecond(figures: readonly Figure[]): Column {
  const rates = contenderNames.flatMap((contender) => {
    const rate = figures.find(({ name }) => name === `accept at 64: ${contender}`)
    return rate ? [[contender, rate.median.toFixed(0)]] : []
  })
  const of: Partial<Record<ContenderName, string>> = Object.fromEntries(rates)
  return { title: 'Accepted per second, 64 connections', of }
}
