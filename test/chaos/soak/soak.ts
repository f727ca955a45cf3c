/** npm run soak: hours of steady traffic, reprocessing, prunes, deploys and failovers. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { showProgress } from '../faults/progress.ts'
import { formatGrowth, soakFile } from './soak-report.ts'
import { runSoak } from './run-soak.ts'

const usage = `npm run soak -- [--hours H] [--rate R] [--seed S] [--json]

Keeps an inbox busy with reprocessing, prunes, deploys and failovers, and fails if memory, tables, answer
times or lag grow. The result becomes a chapter of npm run prove.

  --hours H  how long, 8 unless it is given; at least 0.1
  --rate R   events per second, 20 unless it is given
  --seed S   sends the same events again; drawn and printed unless it is given
  --json     prints the result as JSON

Exit code: 0 if nothing has grown or was lost or doubled, 1 if something has, 2 for a wrong option.`

process.exit(await main(process.argv.slice(2)))

async function main(args: string[]): Promise<number> {
  const options = readOrExplain(args)
  if (options === undefined) return 2
  if (options === 'help') {
    console.log(usage)
    return 0
  }
  const { isJson, ...run } = options
  const progress = showProgress(process.stderr)
  progress.say(`seed ${run.seed}: ${run.hours} hours at ${run.rate} events a second`)
  const result = await runSoak({ ...run, say: progress.say })
  progress.end()
  mkdirSync(dirname(soakFile), { recursive: true })
  writeFileSync(soakFile, `${JSON.stringify(result, null, 2)}\n`)
  console.log(isJson ? JSON.stringify(result, null, 2) : formatGrowth(result))
  for (const problem of result.problems) console.error(problem)
  return result.problems.length === 0 ? 0 : 1
}

function readOrExplain(args: string[]) {
  try {
    return readOptions(args)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error('npm run soak -- --help lists the options.')
    return undefined
  }
}

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      hours: { type: 'string', default: '8' },
      rate: { type: 'string', default: '20' },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
  const [hours, rate] = [Number(values.hours), Number(values.rate)]
  if (!(hours >= 0.1 && hours <= 1_000)) {
    throw new Error(`--hours must be a number from 0.1 to 1000, not ${values.hours}.`)
  }
  if (!(rate >= 1 && rate <= 400)) {
    throw new Error(`--rate must be a number from 1 to 400, not ${values.rate}.`)
  }
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(`--seed must be a whole number, not ${values.seed}.`)
  }
  return { hours, rate, seed, isJson: values.json }
}
