import type { Figure } from '../../bench/figure.ts'
import type { Part } from '../part.ts'
import { readJson } from '../run-command.ts'
import { speedTables } from '../speed-tables.ts'

export const speedPart: Part = {
  name: 'speed',
  title: 'Speed beside what people pick',
  intro:
    'All sides take turns in one run, round after round, so that other load on the machine affects all of them equally. A figure is the median of its rounds, and its spread the middle half of them. Costs are for each event.',
  async run({ isQuick, run }) {
    const options = ['beside', ...(isQuick ? ['--quick'] : []), '--json']
    const command = await run('speed', ['--import', 'tsx', 'test/bench/bench.ts', ...options])
    const figures = readJson<Figure[]>(command)
    return {
      problems: [],
      verdict: 'measured',
      body: speedTables(figures).join('\n\n'),
      data: figures,
    }
  },
}
