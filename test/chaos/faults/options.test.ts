import { describe, expect, it } from 'vitest'
import { commonFaults, faults } from './faults/index.ts'
import { readOptions, usage, type Options } from './options.ts'

function read(...args: string[]): Options {
  const options = readOptions(args)
  if (options === 'help') throw new Error('These options print the help.')
  return options
}

const count = ({ plan }: Options, kind: string) =>
  plan.filter(({ fault }) => fault.kind === kind).length

describe('the options of a fault run', () => {
  it('default to 20,000 events, 200 kills, 20 restarts and all other faults', () => {
    const options = read('--seed', '4')
    expect(options).toMatchObject({ seed: 4, events: 20_000, isJson: false })
    expect([count(options, 'kill'), count(options, 'restart')]).toEqual([200, 20])
    // All but the full disk, which needs its own run.
    expect(new Set(options.plan.map(({ fault }) => fault.name)).size).toBe(faults.length - 1)
  })

  it('repeat a single named fault', () => {
    const { plan } = read('--events', '2000', '--fault', 'kill-in-handler', '--kills', '5')
    expect(plan.map(({ fault }) => fault.name)).toEqual(Array(5).fill('kill-in-handler'))
    expect(read('--events', '2000', '--fault', 'latency').plan).toHaveLength(4)
  })

  it('plan every common fault once for a named contender', () => {
    const { plan, contender, isThorough } = read('--contender', 'naive')
    expect({ contender, isThorough }).toEqual({ contender: 'naive', isThorough: true })
    const names = plan.map(({ fault }) => fault.name)
    expect(names.toSorted()).toEqual(commonFaults.map(({ name }) => name).toSorted())
    const some = read('--contender', 'bullmq', '--fault', 'latency,disk-full').plan
    expect(some.map(({ fault }) => fault.name).toSorted()).toEqual(['disk-full', 'latency'])
  })

  it('end with the hostile service, unless only another fault or JSON is wanted', () => {
    const names = (...args: string[]) => {
      const { plan, hasHostileService } = read('--events', '2000', ...args)
      return { faults: new Set(plan.map(({ fault }) => fault.name)).size, hasHostileService }
    }
    expect(read().hasHostileService).toBe(true)
    expect(names('--fault', 'hostile-service')).toEqual({ faults: 0, hasHostileService: true })
    const both = names('--fault', 'latency,hostile-service')
    expect(both).toEqual({ faults: 1, hasHostileService: true })
    for (const args of [['--fault', 'latency'], ['--contender', 'naive'], ['--json']]) {
      expect(read(...args).hasHostileService).toBe(false)
    }
  })

  it('report invalid values', () => {
    expect(() => read('--contender', 'kafka')).toThrow(
      /^--contender kafka does not exist\. Use one of feed-receiver, naive/,
    )
    expect(() => read('--route', 'dns')).toThrow('--route dns does not exist. Use one of address,')
    expect(() => read('--contender', 'naive', '--fault', 'table-locked')).toThrow(
      /^--fault table-locked does/,
    )
    expect(() => read('--contender', 'naive', '--fault', 'hostile-service')).toThrow(
      /^--fault hostile-service does/,
    )
    expect(() => read('--fault', 'earthquake')).toThrow(
      /^--fault earthquake does not exist\. Use one of kill-before-insert/,
    )
    expect(() => read('--events', 'many')).toThrow('--events must be a whole number, not many.')
    expect(() => read('--events', '0')).toThrow('--events must be 1 or more.')
    expect(() => read('--events', '54')).toThrow(
      /^--events 54 is too few for 13 faults, .* Use --events 65 or more, or fewer with --kills/,
    )
    expect(read('--events', '65').plan).toHaveLength(13)
    expect(() => read('--contender', 'naive', '--events', '99')).toThrow(/^--events 99 is too few/)
    expect(() => read('--speed', '9')).toThrow(/--speed/)
  })

  it('have a help text that lists every fault', () => {
    expect(readOptions(['--help'])).toBe('help')
    for (const { name } of [...faults, { name: 'hostile-service' }]) {
      expect(usage()).toContain(`  ${name} `)
    }
    for (const { describe: says } of faults) expect(usage()).toContain(says)
  })
})
