import { describe, expect, it } from 'vitest'
import { faults } from './faults/index.ts'
import { readOptions, usage, type Options } from './options.ts'

function read(...args: string[]): Options {
  const options = readOptions(args)
  if (options === 'help') throw new Error('that was help')
  return options
}

const count = ({ plan }: Options, kind: string) =>
  plan.filter(({ fault }) => fault.kind === kind).length

describe('the options of a fault run', () => {
  it('are 20,000 events, 200 kills, 20 restarts and all the other faults unless they are given', () => {
    const options = read('--seed', '4')
    expect(options).toMatchObject({ seed: 4, events: 20_000, isJson: false })
    expect([count(options, 'kill'), count(options, 'restart')]).toEqual([200, 20])
    expect(new Set(options.plan.map(({ fault }) => fault.name)).size).toBe(faults.length)
  })

  it('plan one fault again and again where it is named', () => {
    const { plan } = read('--events', '2000', '--fault', 'kill-in-handler', '--kills', '5')
    expect(plan.map(({ fault }) => fault.name)).toEqual(Array(5).fill('kill-in-handler'))
    expect(read('--events', '2000', '--fault', 'latency').plan).toHaveLength(4)
  })

  it('say what is wrong', () => {
    expect(() => read('--fault', 'earthquake')).toThrow(
      /no earthquake; there are kill-before-insert/,
    )
    expect(() => read('--events', 'many')).toThrow('--events must be a whole number, not many.')
    expect(() => read('--events', '0')).toThrow('--events must be 1 or more.')
    expect(() => read('--speed', '9')).toThrow(/--speed/)
  })

  it('have a help that lists every fault', () => {
    expect(readOptions(['--help'])).toBe('help')
    for (const { name } of faults) expect(usage()).toContain(`${name} `)
    for (const { describe: says } of faults) expect(usage()).toContain(says)
  })
})
