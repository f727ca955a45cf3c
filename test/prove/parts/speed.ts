import { plain, table } from '../../../docs/.vitepress/reference/markdown.ts'
import { isMet, type Figure } from '../../bench/figure.ts'
import type { Part } from '../part.ts'
import { readJson } from '../run-command.ts'

const bench = ['--import', 'tsx', 'test/bench/bench.ts']

export const speedPart: Part = {
  name: 'speed',
  title: 'Speed beside what people pick',
  intro:
    'All sides take turns in one run, round after round, so that other load on the machine affects all of them equally. A figure is the median of its rounds, and its spread the middle half of them.',
  async run({ isQuick, run }) {
    const args = isQuick ? ['beside', '--quick'] : ['beside']
    const figures = [
      ...readJson<Figure[]>(await run('speed-verify', [...bench, 'verify', '--json'])),
      ...readJson<Figure[]>(await run('speed-beside', [...bench, ...args, '--json'])),
    ]
    const rows = figures.map(({ name, unit, median, low, high }) => [
      plain(name),
      `${show(median)} ${unit}`,
      `${show(low)} to ${show(high)}`,
    ])
    const short = figures.filter((figure) => !isMet(figure)).map(({ name }) => `- ${plain(name)}`)
    const figuresTable = table(['Figure', 'Median', 'Middle half'], rows)
    const body =
      short.length === 0
        ? figuresTable
        : `${figuresTable}\n\nShort of their goals:\n\n${short.join('\n')}`
    return { problems: [], body, data: figures }
  },
}

function show(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
