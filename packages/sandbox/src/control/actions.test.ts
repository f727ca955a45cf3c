import { readFile } from 'node:fs/promises'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { actions, type ActionAnswer } from './actions.ts'
import { addressOf } from './address.ts'

describe('the table of actions', () => {
  it('gives each action its own address', () => {
    const paths = Object.keys(actions).map((name) => addressOf(name).path)
    expect(new Set(paths).size).toBe(paths.length)
    expect(addressOf('listDestinationChanges')).toEqual({
      method: 'GET',
      path: 'destination-changes',
    })
    expect(addressOf('createKey')).toEqual({ method: 'POST', path: 'create-key' })
  })

  it('matches the list in the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const lines = Object.entries(actions).map(([name, { description }]) => {
      const { method, path } = addressOf(name)
      return `- \`${name}\`, \`${method} ${path}\`: ${description}`
    })
    expect(readme).toContain(`\n\n${lines.join('\n')}\n\n`)
  })

  it('describes each action in one sentence', () => {
    for (const { description } of Object.values(actions)) {
      expect(description).toMatch(/^[A-Z][^.]+\.$/)
    }
  })

  it('types the responses of the routes as JSON', () => {
    expectTypeOf<ActionAnswer<'readClock'>['now']>().toEqualTypeOf<string>()
    expectTypeOf<ActionAnswer<'createAccount'>>().toEqualTypeOf<null>()
    expectTypeOf<ActionAnswer<'findDelivery'>['attempts']>().toEqualTypeOf<number>()
  })
})
