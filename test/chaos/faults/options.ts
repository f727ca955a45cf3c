import { parseArgs } from 'node:util'
import { diskFull } from './faults/disk-full.ts'
import { commonFaults, faults } from './faults/index.ts'
import type { Fault } from './fault.ts'
import { makePlan, planEachOnce, type PlannedFault } from './plan.ts'
import { contenderNames, type ContenderName } from '../../bench/contenders/contenders.ts'
import { databaseRoutes, type DatabaseRoute } from './database-route.ts'

export interface Options {
  seed: number
  events: number
  plan: PlannedFault[]
  route: DatabaseRoute
  contender: ContenderName
  isThorough: boolean
  /** Whether a poller meets a service that answers at random, after the faults of the plan. */
  hasHostileService: boolean
  isJson: boolean
}

const hostileService = 'hostile-service'

/** Reads the command line, or throws a sentence about the mistake in it. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      events: { type: 'string', default: '20000' },
      fault: { type: 'string' },
      route: { type: 'string', default: 'address' },
      contender: { type: 'string' },
      kills: { type: 'string' },
      restarts: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const whole = (name: 'seed' | 'events' | 'kills' | 'restarts', otherwise: number) => {
    const value = Number(values[name] ?? otherwise)
    if (Number.isSafeInteger(value) && value >= 0) return value
    throw new Error(`--${name} must be a whole number, not ${values[name]}.`)
  }
  const seed = whole('seed', Math.floor(Math.random() * 1_000_000))
  const events = whole('events', 20_000)
  if (events === 0) throw new Error('--events must be 1 or more.')
  const contender = contenderNames.find((one) => one === (values.contender ?? 'feed-receiver'))
  if (!contender) {
    throw new Error(
      `--contender ${values.contender} does not exist. Use one of ${contenderNames.join(', ')}.`,
    )
  }
  const isThorough = values.contender !== undefined
  const wanted = values.fault?.split(',')
  const hasHostileService = wanted?.includes(hostileService) ?? !(isThorough || values.json)
  const others = wanted?.filter((name) => isThorough || name !== hostileService)
  const chosen = chooseFaults(isThorough ? [...commonFaults, diskFull] : faults, others)
  const route = databaseRoutes.find((one) => one === values.route)
  if (!route) {
    throw new Error(
      `--route ${values.route} does not exist. Use one of ${databaseRoutes.join(', ')}.`,
    )
  }
  const shared = { seed, events, route, contender, isThorough, hasHostileService }
  if (isThorough) {
    const plan = planEachOnce(chosen, seed)
    assertFits(plan, events)
    return { ...shared, plan, isJson: values.json }
  }
  const amounts = {
    kills: whole('kills', Math.max(10, Math.floor(events / 100))),
    restarts: whole('restarts', Math.max(2, Math.floor(events / 1_000))),
    others: values.fault === undefined ? countOthers(events) : Math.ceil(events / 500),
  }
  const plan = chosen.length === 0 ? [] : makePlan(chosen, { seed, ...amounts })
  assertFits(plan, events)
  return { ...shared, plan, isJson: values.json }
}

/** Of its share of events, each fault needs some to show that they go through again. */
const fewestPerFault = 5

function assertFits(plan: readonly PlannedFault[], events: number): void {
  const needed = plan.length * fewestPerFault
  if (events >= needed) return
  throw new Error(
    `--events ${events} is too few for ${plan.length} faults, which need ${fewestPerFault} each. ` +
      `Use --events ${needed} or more, or fewer with --kills, --restarts and --fault.`,
  )
}

function chooseFaults(known: readonly Fault[], names: readonly string[] | undefined): Fault[] {
  if (names === undefined) return known.filter(({ needsSmallDisk }) => !needsSmallDisk)
  const unknown = names.find((name) => known.every((fault) => fault.name !== name))
  if (unknown === undefined) return known.filter(({ name }) => names.includes(name))
  const list = known.map(({ name }) => name).join(', ')
  throw new Error(`--fault ${unknown} does not exist. Use one of ${list}.`)
}

export function usage(): string {
  const width = Math.max(...faults.map(({ name }) => name.length))
  return [
    'npm run faults -- [--seed S] [--events N] [--fault name] [--route R] [--kills K]',
    '                  [--restarts R] [--contender C] [--json]',
    '',
    '  --seed S       repeats the plan of a seed; random and printed by default',
    '  --events N     number of events to send; 20000 by default',
    '  --fault name   only this fault, or several with commas; a mix of all by default',
    '  --route R      how programs reach the database: address (one that moves), haproxy, pgbouncer',
    '                 (in front of HAProxy) or hosts (a URL with two); all but the first are for',
    '                 failures of the primary',
    '  --kills K      number of kills with -9; a hundredth of N by default',
    '  --restarts R   number of immediate stops of PostgreSQL; a thousandth of N by default',
    '  --contender C  every fault that applies to any receiver, once and one at a time, for',
    `                 ${contenderNames.join(', ')}`,
    '  --json         prints the result as JSON, and leaves out the hostile service',
    '',
    ...faults.map(({ name, describe }) => `  ${name.padEnd(width)}  ${describe}`),
    `  ${hostileService.padEnd(width)}  a service answers a poller at random, for days of its clock`,
    '',
    'Exit code: 0 where the run counts and is clean, 1 where it is not, 2 for a wrong option.',
  ].join('\n')
}

/**
 * From 3,000 events on, each other fault once, and again for each 10,000. Below that only a few.
 */
function countOthers(events: number): number {
  if (events < 3_000) return Math.ceil(events / 400)
  const kinds = chooseFaults(faults, undefined).filter(({ kind }) => kind === 'other').length
  return kinds * Math.max(1, Math.floor(events / 10_000))
}
