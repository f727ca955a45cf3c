import { readFile } from 'node:fs/promises'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'
import { actions, type ActionAnswer } from './actions.ts'
import { addressOf } from './address.ts'
import { describeActions, type DescribedAction } from './describe-actions.ts'

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
    const lines = describeActions().map(({ name, method, path, description }) => {
      return `- \`${name}\`, \`${method} ${path}\`: ${description}`
    })
    expect(readme).toContain(`\n\n${lines.join('\n')}\n\n`)
  })

  it('describes each action in one sentence', () => {
    for (const { description } of describeActions()) {
      expect(description).toMatch(/^[A-Z][^.]+\.$/)
    }
  })

  it('types the responses of the routes as JSON', () => {
    expectTypeOf<ActionAnswer<'readClock'>['now']>().toEqualTypeOf<string>()
    expectTypeOf<ActionAnswer<'createAccount'>>().toEqualTypeOf<null>()
    expectTypeOf<ActionAnswer<'findDelivery'>['attempts']>().toEqualTypeOf<number>()
  })
})

describe('GET actions', () => {
  const made = useSandbox({ historyDays: 0 })

  async function described(name: string): Promise<DescribedAction | undefined> {
    const { get, sandbox } = made()
    const { body } = await get('/_sandbox/api/actions', { key: sandbox.session })
    expect(body.data).toHaveLength(Object.keys(actions).length)
    return body.data.find((one: DescribedAction) => one.name === name)
  }

  it('describes the fields of an action', async () => {
    expect(await described('createKey')).toMatchObject({
      method: 'POST',
      path: 'create-key',
      title: 'Create key',
      fields: [
        { name: 'accountId', label: 'Account', kind: 'text', required: true },
        { name: 'name', label: 'Name', kind: 'text', required: true },
      ],
    })
  })

  it('says which fields apply to which choice', async () => {
    expect(await described('moveClock')).toMatchObject({
      fields: [
        { name: 'to', choices: ['shift', 'advance', 'freeze', 'unfreeze', 'reset'] },
        { name: 'byMs', kind: 'number', only: { field: 'to', values: ['shift', 'advance'] } },
        { name: 'at', kind: 'time', required: false, only: { field: 'to', values: ['freeze'] } },
      ],
    })
  })

  it('describes the members of a field', async () => {
    const action = await described('createApiFault')
    const fault = action?.fields.find(({ name }) => name === 'fault')
    expect(fault).toMatchObject({ kind: 'object', required: true })
    expect(fault?.fields).toMatchObject([
      { name: 'kind', kind: 'choice' },
      { name: 'status', choices: [500, 503], only: { field: 'kind', values: ['status'] } },
      { name: 'ms', minimum: 1, maximum: 60_000, only: { field: 'kind', values: ['delay'] } },
    ])
  })
})
