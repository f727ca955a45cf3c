import { describe, expect, it, beforeAll, vi } from 'vitest'
import { mcpRequest } from '../../test/mcp-request.ts'
import { useSandbox } from '../../test/use-sandbox.ts'
import { actions } from './actions.ts'
import { addressOf } from './address.ts'

// Many requests to each, whatever else the machine does.
vi.setConfig({ testTimeout: 120_000 })

const addresses = Object.keys(actions).map(addressOf)
const pathsOf = (wanted: string) =>
  addresses.flatMap(({ method, path }) => (method === wanted ? [path] : []))

/** As JSON, since not all of it could be written by JavaScript. */
const oddValues = [
  'null',
  '-1',
  '2147483648',
  '9007199254740993',
  '1e400',
  '0.5',
  '""',
  '"a\\u0000b"',
  '"\\ud800"',
  '"__proto__"',
  '"constructor"',
  '"0000-01-01T00:00:00Z"',
  '"10000-01-01T00:00:00Z"',
  '"-000001-01-01T00:00:00Z"',
  '"https://example.com/\\ud800"',
  JSON.stringify('x'.repeat(10_000)),
  '[]',
  '["a"]',
  '{"a\\u0000":"\\ud800"}',
  `{"current":${nested(10_000)},"kind":"cut"}`,
  nested(10_000),
]

/**
 * A third of the values, so that an action whose members have consecutive indices gets all of them;
 * all with TEST_EVERY_WAY.
 */
function valuesAt(index: number): string[] {
  if (process.env['TEST_EVERY_WAY'] !== undefined) return oddValues
  return oddValues.filter((_, at) => at % 3 === index % 3)
}

/** Inputs in which one member after the other is put out of order. */
const inputs: [action: string, input: Record<string, unknown>][] = [
  ['compose-event', { id: 1, providerSlug: 1, eventType: 1, category: 1, subjectType: 1 }],
  ['compose-event', { subjectKey: 1, title: 1, summary: 1, sourceUrl: 1, canonicalUrl: 1 }],
  ['compose-event', { evidenceState: 1, confirmationState: 1, detectedVia: 1, benchmark: 1 }],
  ['compose-event', { firstObservedAt: 1, sourcePublishedAt: 1, sourceUpdatedAt: 1, incident: 1 }],
  ['compose-event', { correctedAt: 1, retractedAt: 1, sourcePublishedPrecision: 1 }],
  ['change-event', { to: 'correct', id: 'evt_odd', content: {} }],
  ['compose-account-event', { accountId: 'acct_sandbox', type: 1, title: 1, summary: 1, data: 1 }],
  ['change-account-event', { to: 'correct', eventRef: `event_${'0'.repeat(48)}`, content: {} }],
  ['move-clock', { to: 'freeze', at: 1 }],
  ['move-clock', { to: 'shift', byMs: 1 }],
  ['change-settings', { firstCursor: 'replay', moveChanged: true }],
  ['create-account', { id: 'acct_odd', name: 'odd' }],
  ['change-account', { id: 'acct_odd', name: 'odd', usageLimit: 1, burstLimit: 1, proActive: 1 }],
  ['create-key', { accountId: 'acct_odd', name: 'odd' }],
  ['revoke-key', { id: 1 }],
  ['create-api-fault', { surface: 'account-event', fault: { kind: 'cut' }, times: 1 }],
  ['delete-api-fault', { id: 1 }],
]

describe('unexpected input never causes 5xx or an internal error', () => {
  const made = useSandbox({ historyDays: 1 })
  beforeAll(async () => {
    const { control } = made().sandbox
    await control.changeAccount({ id: 'acct_sandbox', burstLimit: 1_000_000 })
    await control.composeEvent({ id: 'evt_odd' })
  })

  it.each(inputs)('in the action %s, with one unexpected member: %j', async (action, input) => {
    for (const [index, name] of Object.keys(input).entries()) {
      const { [name]: _odd, ...rest } = input
      // What is 1 above is only there to be replaced.
      const others = Object.entries(rest).filter(([, value]) => value !== 1)
      const start = JSON.stringify(Object.fromEntries(others)).slice(0, -1)
      for (const value of valuesAt(index)) {
        const text = `${start}${start === '{' ? '' : ','}${JSON.stringify(name)}:${value}}`
        expect([name, value.slice(0, 40), await post(action, text)]).toEqual(answered(name, value))
      }
    }
    await made().sandbox.control.moveClock({ to: 'reset' })
  })

  it('in any action, as an unusable body', async () => {
    const some = oddValues.filter((_, index) => index % 3 === 0)
    const unknown = [
      '{"a\\u0000b":1}',
      '{"\\ud800":1}',
      `{"${'😀'.repeat(400)}":1}`,
      '{"__proto__":1}',
    ]
    for (const action of pathsOf('POST')) {
      // Which takes an empty body, and so null.
      const bodies = action === 'reset' ? unknown : [...some, ...unknown, '', '{']
      for (const body of bodies) {
        expect([action, body.slice(0, 40), await post(action, body)]).toEqual(
          answered(action, body),
        )
      }
    }
    await made().sandbox.control.moveClock({ to: 'reset' })
  })

  it.each([
    ...pathsOf('GET').map((name) => `/_sandbox/api/${name}`),
    '/v1/events',
    '/v1/account-events',
    '/v1/account-events/event_0',
  ])('in %s, as a query', async (path) => {
    const { sandbox, key } = made()
    const token = path.startsWith('/v1') ? key : sandbox.session
    const names = ['id', 'limit', 'before', 'cursor', 'after']
    for (const name of names) {
      for (const value of ['%00', '%ED%A0%80', '-1', '9007199254740993', '__proto__']) {
        const query = `${name}=${value}`
        const headers = { authorization: `Bearer ${token}` }
        const { status } = await fetch(`${sandbox.url}${path}?${query}`, { headers })
        expect([query, status < 500]).toEqual([query, true])
      }
    }
  })

  it.each(['list_changes', 'get_change', 'get_deprecations', 'check_model', '__proto__'])(
    'in the tool %s',
    async (tool) => {
      for (const [index, name] of ['id', 'limit', 'model'].entries()) {
        for (const value of valuesAt(index)) {
          const params = `{"name":"${tool}","arguments":{"${name}":${value}}}`
          const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
          const { status, text } = await mcpRequest(made(), message)
          expect([name, value.slice(0, 40), status < 500]).toEqual([name, value.slice(0, 40), true])
          expect(text).not.toMatch(/internal_error|-32603/)
        }
      }
    },
  )

  async function post(action: string, body: string): Promise<number> {
    const { sandbox } = made()
    const headers = {
      authorization: `Bearer ${sandbox.session}`,
      'content-type': 'application/json',
    }
    const url = `${sandbox.url}/_sandbox/api/${action}`
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
})

function answered(name: string, value: string): unknown[] {
  return [name, value.slice(0, 40), expect.toSatisfy((status: number) => status < 500)]
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}
