/**
 * npm run bench -- <name> [part …] [--json] [--goals] [--quick] [--entries <count>] [--before
 * <commit>]: prints each figure with its spread and its goal. If a benchmark has parts, only the named
 * ones run. `--quick` and `--entries` are for `beside`: fewer and shorter rounds, and how many entries
 * are there already. `--before` is for `start`: the commit to compare with.
 */
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { formatFigures, isMet, type Figure } from './figure.ts'

/** The exports of a file of this folder. */
export interface Benchmark {
  /** Reports its progress through `say`: on stderr if data goes to stdout. */
  measure(
    say: (line: string) => void,
    parts: readonly string[],
    options: BenchOptions,
  ): Promise<Figure[]>
}

export interface BenchOptions {
  isQuick: boolean
  /** How many entries are there already, where a benchmark lets you choose. */
  entries: number[]
  /** A commit to compare with, where a benchmark can. */
  before: string | undefined
}

const names = readdirSync(new URL('benchmarks/', import.meta.url)).map((file) =>
  file.replace(/\.ts$/, ''),
)
// The servers that it has started end with it.
process.once('SIGTERM', () => process.exit(143))
process.once('SIGINT', () => process.exit(130))
process.exitCode = await main()

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      goals: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      entries: { type: 'string', multiple: true, default: [] },
      before: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const [name = '', ...parts] = positionals
  const entries = values.entries.map(Number)
  if (!entries.every((count) => Number.isSafeInteger(count) && count > 0)) {
    console.error(
      `--entries must be a whole number of 1 or more, not ${values.entries.join(', ')}.`,
    )
    return 2
  }
  const file = new URL(`benchmarks/${name}.ts`, import.meta.url)
  if (values.help || !names.includes(name) || !existsSync(file)) {
    console.log(`npm run bench -- <${names.join(' | ')}> [part …] [--json] [--goals]`)
    console.log('beside: [--quick] [--entries <count>], which may be repeated')
    console.log('start: [--before <commit>]')
    return values.help ? 0 : 2
  }

  const { measure } = (await import(file.href)) as Benchmark
  const say = values.json ? console.error : console.log
  const figures = await measure(say, parts, {
    isQuick: values.quick,
    entries,
    before: values.before,
  })
  if (values.json) console.log(JSON.stringify(figures, null, 2))
  else console.log(`\n${formatFigures(figures)}`)

  const missed = figures.filter((figure) => !isMet(figure))
  for (const { name: what } of missed) console.error(`Falls short: ${what}`)
  return values.goals && missed.length > 0 ? 1 : 0
}
