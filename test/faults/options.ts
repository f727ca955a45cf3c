import { parseArgs } from 'node:util'
import { faults } from './faults/index.ts'
import { makePlan, type PlannedFault } from './plan.ts'
import { ways, type Way } from './way.ts'

export interface Options {
  seed: number
  events: number
  plan: PlannedFault[]
  way: Way
  isJson: boolean
}

/** Reads the command line, or throws a sentence about the mistake in it. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      events: { type: 'string', default: '20000' },
      fault: { type: 'string' },
      way: { type: 'string', default: 'address' },
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
  const chosen = faults.filter(({ name }) => values.fault === undefined || name === values.fault)
  if (chosen.length === 0) {
    const names = faults.map(({ name }) => name).join(', ')
    throw new Error(`--fault knows no ${values.fault}; there are ${names}.`)
  }
  const way = ways.find((one) => one === values.way)
  if (!way) throw new Error(`--way knows no ${values.way}; there are ${ways.join(', ')}.`)
  const amounts = {
    kills: whole('kills', Math.max(8, Math.floor(events / 100))),
    restarts: whole('restarts', Math.max(2, Math.floor(events / 1_000))),
    others: values.fault === undefined ? countOthers(events) : Math.ceil(events / 500),
  }
  return { seed, events, plan: makePlan(chosen, { seed, ...amounts }), way, isJson: values.json }
}

export function usage(): string {
  const width = Math.max(...faults.map(({ name }) => name.length))
  return [
    'npm run faults -- [--seed S] [--events N] [--fault name] [--way W] [--kills K] [--restarts R] [--json]',
    '',
    '  --seed S      makes the same plan again; drawn and printed unless it is given',
    '  --events N    how many events are sent, 20000 unless it is given',
    '  --fault name  only this fault, again and again; a mix of all unless it is given',
    '  --way W       how programs find the database: address (one that moves), haproxy, pgbouncer (in',
    '                front of HAProxy) or hosts (a URL with two); all but the first are for failures of',
    '                the primary',
    '  --kills K     how often a process is killed with -9, a hundredth of N unless it is given',
    '  --restarts R  how often PostgreSQL is stopped at once, a thousandth of N unless it is given',
    '  --json        prints the result as JSON',
    '',
    ...faults.map(({ name, describe }) => `  ${name.padEnd(width)}  ${describe}`),
    '',
    'Exit code: 0 where the run counts and is clean, 1 where it is not, 2 for a wrong option.',
  ].join('\n')
}

/**
 * From 3,000 events on, each other fault once, and again for each 10,000. Below that only a few.
 */
function countOthers(events: number): number {
  if (events < 3_000) return Math.ceil(events / 400)
  const kinds = faults.filter(({ kind }) => kind === 'other').length
  return kinds * Math.max(1, Math.floor(events / 10_000))
}
