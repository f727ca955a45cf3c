import { expect, it } from 'vitest'
import { readOptions, usage } from './options.ts'
import { parts } from './parts/index.ts'

it('runs every part by default', () => {
  expect(readOptions(['--seed', '3'])).toMatchObject({ seed: 3, isQuick: false })
  expect(readOptions([])).toMatchObject({ parts: undefined, resumed: undefined })
  const some = readOptions(['--quick', '--only', 'disk,speed'])
  expect(some).toMatchObject({ isQuick: true, parts: [{ name: 'disk' }, { name: 'speed' }] })
})

it('reports invalid values', () => {
  expect(() => readOptions(['--only', 'luck'])).toThrow(
    'no chapter luck. Use one of contenders, faults',
  )
  expect(() => readOptions(['--seed', 'x'])).toThrow('--seed must be a whole number, not x.')
  expect(() => readOptions(['--fast'])).toThrow(/--fast/)
  expect(() => readOptions(['--resume', 'proof', '--seed', '1'])).toThrow('excludes --seed')
})

it('has a help text that lists every part', () => {
  expect(readOptions(['--help'])).toBe('help')
  for (const { name, title } of parts) {
    expect(usage()).toContain(name)
    expect(usage()).toContain(title)
  }
})
