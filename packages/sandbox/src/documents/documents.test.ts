import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'
import { describedAnswers } from '../../test/described-answers.ts'

describe('the description of the API', () => {
  const made = useSandbox()

  it('is a valid OpenAPI 3.1 document, and public [R96, R139, R239, R245]', async () => {
    const { sandbox, get } = made()
    const { status, headers, body } = await get('/v1/schema.json', { key: null })
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const { valid, errors } = await new Validator().validate(structuredClone(body))
    expect([valid, errors]).toEqual([true, undefined])
    expect(body.info.version).toBe('1.0.0')
    expect(body.servers).toEqual([{ url: sandbox.url }])
    expect(body.paths['/v1/events'].get.operationId).toBe('listRadarEvents')
  })

  it('describes the parameters as the routes validate them [R97, R127]', async () => {
    const { body } = await made().get('/v1/schema.json')
    const parameters = (path: string) =>
      Object.fromEntries(
        (body.paths[path].get.parameters as Parameter[]).map(({ name, schema, ...rest }) => [
          name,
          { ...schema, ...rest },
        ]),
      )
    expect(parameters('/v1/events')).toMatchObject({
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
      confirmation: { enum: ['confirmed', 'all'], default: 'confirmed' },
      after: { format: 'date-time', deprecated: true },
      cursor: { type: 'string', required: false },
    })
    expect(parameters('/v1/account-events')).toMatchObject({
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      cursor: { maxLength: 2000 },
      type: { type: 'array', maxItems: 5, uniqueItems: true, style: 'form', explode: true },
    })
  })

  it('describes exactly the times that after accepts', async () => {
    const { get, sandbox } = made()
    await sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 1_000_000 })
    const parameters: { name: string; schema: object; description?: string }[] = (
      await get('/v1/schema.json')
    ).body.paths['/v1/events'].get.parameters
    const after = parameters.find(({ name }) => name === 'after')
    expect(after?.description).toMatch(/years 1 to 9999.* 16 hours .* 6 digits/)
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    const validate = ajv.compile(after?.schema ?? {})
    for (const [time, status] of [
      ['2026-01-01T00:00:00.123456Z', 200],
      ['2026-01-01T00:00:00.123456789Z', 400],
      ['2026-01-01T00:00:00+15:59', 200],
      ['2026-01-01T00:00:00+16:00', 400],
      ['2026-01-01T00:00:00-23:59', 400],
      ['0000-12-31T00:00:00Z', 400],
      ['0001-01-01T00:00:00Z', 200],
      ['0010-01-01T00:00:00Z', 200],
      ['0900-01-01T00:00:00Z', 200],
      ['9999-12-31T23:59:59Z', 200],
      ['10000-01-01T00:00:00Z', 400],
      ['2026-02-30T00:00:00Z', 400],
      ['2026-01-01t00:00:00z', 400],
      ['2026-01-01 00:00:00Z', 400],
      ['2026-01-01T00:00:60Z', 400],
      ['2026-01-01', 400],
    ] as const) {
      const answer = await get(`/v1/events?after=${encodeURIComponent(time)}`)
      expect([time, answer.status, validate(time)]).toEqual([time, status, status === 200])
    }
    await sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 120 })
  })

  it('describes the responses to HEAD, other methods and failures', async () => {
    const { get, sandbox } = made()
    const { body: document } = await get('/v1/schema.json')
    const check = describedAnswers(document)
    const { eventRef } = (await get('/v1/account-events?limit=1')).body.data[0]
    const addresses = [
      ['events', '/v1/events', '/v1/events'],
      ['account-events', '/v1/account-events', '/v1/account-events'],
      ['account-event', '/v1/account-events/{eventRef}', `/v1/account-events/${eventRef}`],
    ] as const
    expect(Object.keys(document.paths)).toEqual(addresses.map(([, described]) => described))
    for (const [surface, described, path] of addresses) {
      const head = { method: 'HEAD' }
      expect(check(described, await get(path, head), 'head')).toEqual([])
      expect(check(described, await get(path, { ...head, key: null }), 'head')).toEqual([])
      const post = await get(path, { method: 'POST' })
      expect([post.status, check(described, post)]).toEqual([405, []])
      for (const status of [500, 503] as const) {
        const fault = { kind: 'status', status } as const
        await sandbox.control.createApiFault({ surface, fault, times: 2 })
        const failed = await get(path)
        expect([failed.status, check(described, failed)]).toEqual([status, []])
        expect(check(described, await get(path, head), 'head')).toEqual([])
      }
    }
    await sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 1 })
    expect(check('/v1/events', await get('/v1/events', { method: 'HEAD' }), 'head')).toEqual([])
    await sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 120 })
  })

  it('matches every response, and detects a wrong one [R13, R16, R17, R18, R20, R22, R28, R31, R42, R44, R45, R46, R47, R59, R61, R64, R133]', async () => {
    const { get, sandbox } = made()
    const check = describedAnswers((await get('/v1/schema.json')).body)
    const listed = (await get('/v1/account-events')).body.data[0]
    const paths: [path: string, described: string, key?: string | null][] = [
      ['/v1/events?confirmation=all&limit=200', '/v1/events'],
      ['/v1/events?type=outage', '/v1/events'],
      ['/v1/events?limit=0', '/v1/events'],
      ['/v1/events?cursor=x', '/v1/events'],
      ['/v1/events', '/v1/events', null],
      ['/v1/account-events?limit=100', '/v1/account-events'],
      ['/v1/account-events?type=x', '/v1/account-events'],
      [`/v1/account-events/${listed.eventRef}`, '/v1/account-events/{eventRef}'],
      ['/v1/account-events/event_0', '/v1/account-events/{eventRef}'],
    ]
    for (const [path, described, key] of paths) {
      const answer = await get(path, key === undefined ? {} : { key })
      expect([path, check(described, answer)]).toEqual([path, []])
    }
    await sandbox.control.changeAccount({ id: 'acct_sandbox', proActive: false })
    expect(check('/v1/events', await get('/v1/events'))).toEqual([])
    await sandbox.control.changeAccount({ id: 'acct_sandbox', proActive: true, burstLimit: 1 })
    expect(check('/v1/events', await get('/v1/events'))).toEqual([])
    await sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 120 })

    const good = await get('/v1/events')
    const [event] = good.body.data
    const broken = (data: unknown[]) =>
      check('/v1/events', { ...good, body: { ...good.body, data } })
    expect(broken([event])).toEqual([])
    expect(broken([{ ...event, sourceUrl: undefined }])).not.toEqual([])
    expect(broken([{ ...event, confirmationState: 'perhaps' }])).not.toEqual([])
    expect(broken([{ ...event, benchmark: { next: {} } }])).not.toEqual([])
    expect(check('/v1/events', { ...good, status: 418 })).not.toEqual([])
    expect(check('/v1/events', { ...good, headers: new Headers() })).not.toEqual([])
  })
})

interface Parameter {
  name: string
  schema: object
}

describe('public documents', () => {
  const made = useSandbox({ historyDays: 0, manifestPath: '/.well-known/other.json' })
  const paths = ['/v1/schema.json', '/developers', '/.well-known/other.json']

  it('link to each other [R140, R141]', async () => {
    const { get, sandbox } = made()
    const manifest = (await get('/.well-known/other.json', { key: null })).body
    expect(manifest).toMatchObject({
      documentation: `${sandbox.url}/developers`,
      openapi: `${sandbox.url}/v1/schema.json`,
      auth: { bearerEnv: 'FEED_API_KEY' },
      polling: { intervalSeconds: 60 },
      cursor: { opaque: true },
    })
    const page = await get('/developers', { key: null })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    for (const text of ['/.well-known/other.json', 'id="after"', 'usage_limit_reached']) {
      expect(page.text).toContain(text)
    }
  })

  it.each(paths)('%s answers 304 to its ETag and 405 to POST', async (path) => {
    const { get } = made()
    const etag = (await get(path, { key: null })).headers.get('etag') ?? ''
    const again = await get(path, { key: null, headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).toEqual([304, ''])
    for (const method of ['POST', 'DELETE']) {
      const rejected = await get(path, { key: null, method, body: '{' })
      expect(rejected).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(rejected.headers.get('allow')).toBe('GET, HEAD')
    }
  })
})
