/** npm run faults: sends events through real processes, injects faults, and counts the results. */
import { spawnSync } from 'node:child_process'
import { readOptions, usage, type Options } from './options.ts'
import { showProgress } from './progress.ts'
import { formatReport } from './report.ts'
import { runFaults } from './run-faults.ts'

process.exit(await main(process.argv.slice(2)))

async function main(args: string[]): Promise<number> {
  const options = readOrExplain(args)
  if (options === undefined) return 2
  if (options === 'help') {
    console.log(usage())
    return 0
  }
  const { hasHostileService, ...run } = options
  const isClean = run.plan.length === 0 || (await injectFaults(run))
  const isMet = !hasHostileService || meetHostileService(run.seed)
  return isClean && isMet ? 0 : 1
}

async function injectFaults({ isJson, ...run }: Omit<Options, 'hasHostileService'>) {
  const { seed, events, plan } = run
  const progress = showProgress(process.stderr)
  progress.say(`seed ${seed}: ${events} events, ${plan.length} faults`)
  const result = await runFaults({ ...run, say: progress.say })
  progress.end()
  console.log(isJson ? JSON.stringify(result, null, 2) : formatReport(result))
  return result.problems.length === 0
}

function meetHostileService(seed: number): boolean {
  const args = ['run', '--project=kills', 'test/chaos/kills/hostile-service.slow.ts']
  const { status } = spawnSync('npx', ['vitest', ...args], {
    stdio: 'inherit',
    env: { ...process.env, FAULT_SEED: `${seed}` },
  })
  return status === 0
}

function readOrExplain(args: string[]): Options | 'help' | undefined {
  try {
    return readOptions(args)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error('npm run faults -- --help lists the options and faults.')
    return undefined
  }
}
