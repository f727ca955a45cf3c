import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@feed-receiver/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { root } from '../../repo/check/workspaces.ts'
import { createTarget } from '../../support/databases.ts'
import { freePort } from '../../support/free-port.ts'
import { startCommand } from '../../support/start-program.ts'

const prism = join(root, 'test/support/tools/prism/node_modules/.bin/prism')
const eventRef = `event_${'a1'.repeat(24)}`

describe('the client, with Prism as a server that has only the OpenAPI document', () => {
  let baseUrl = ''
  let stop: () => Promise<void> = async () => undefined
  /** The problems that Prism found in the requests. */
  let violations: unknown[] = []

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-prism-'))
    await writeFile(join(folder, 'feed.json'), await readDescription())
    const port = await freePort()
    // Any values that the schemas allow, but the same in each run.
    const args = ['mock', '--dynamic', '--seed', 'feed', '--port', String(port), 'feed.json']
    const server = startCommand(process.execPath, [prism, ...args], { cwd: folder })
    stop = async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    }
    await server.nextLine('Prism is listening')
    baseUrl = `http://127.0.0.1:${port}`
  })
  afterAll(() => stop())

  function clientWith(prefer?: string) {
    violations = []
    return createClient({
      baseUrl,
      apiKey: 'feed_live_good',
      maxAttempts: 1,
      async fetch(input, init) {
        const headers = new Headers(init?.headers)
        if (prefer !== undefined) headers.set('prefer', prefer)
        const answer = await fetch(input, { ...init, headers })
        violations.push(...requestViolations(answer.headers))
        return answer
      },
    })
  }

  it('reads a page with requests that match the document [R139]', async () => {
    const client = clientWith()
    const filter = { provider: 'openai', type: 'outage', confirmation: 'all' } as const
    const page = await client.eventPage({ ...filter, limit: 200, cursor: 'an opaque one' })
    expect(page).toMatchObject({ unreadable: [], hasMore: expect.any(Boolean) })
    expect(page.items[0]).toMatchObject({
      id: expect.any(String),
      sourceUrl: expect.stringMatching(/^\w+:/),
      confirmationState: expect.stringMatching(/^(un)?confirmed$/),
    })
    expect(page.usage).toMatchObject({ period: expect.stringMatching(/^\d{4}-\d\d$/) })
    expect(client.rateLimit.usagePeriod).toMatchObject({ limit: expect.any(Number) })
    expect(violations).toEqual([])
  })

  it('reads account events, a page and a single one [R139]', async () => {
    const client = clientWith()
    const page = await client.accountEventPage({
      types: ['capability.changed', 'model_fit.transitioned'],
      subjectType: 'capability_profile',
      limit: 100,
    })
    expect(page.unreadable).toEqual([])
    expect(page.items[0]?.eventRef).toMatch(/^event_/)
    const { subject } = await client.accountEvent(eventRef)
    expect(subject.ref).toMatch(/^subject_/)
    expect(violations).toEqual([])
  })

  it.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [429, 'rate_limited'],
  ])('turns a %i into its error [R78]', async (status, code) => {
    const asking = clientWith(`code=${status}`).eventPage({ maxWaitMs: 0 })
    await expect(asking).rejects.toMatchObject({ code, status })
  })

  it('turns a 404 into its error', async () => {
    const asking = clientWith('code=404').accountEvent(eventRef)
    await expect(asking).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })

  it('fails on a request that the document does not allow', async () => {
    const headers = { authorization: 'Bearer feed_live_good' }
    const answer = await fetch(`${baseUrl}/v1/events?limit=500`, { headers })
    expect(requestViolations(answer.headers)).toMatchObject([{ code: 'maximum' }])
    expect((await fetch(`${baseUrl}/v1/events`)).status).toBe(401)
  })
})

async function readDescription(): Promise<string> {
  const { target, drop } = await createTarget('pglite')
  const { sandbox, get } = await startSandbox({ database: target, historyDays: 0 })
  const { text } = await get('/v1/schema.json', { key: null })
  await sandbox.stop()
  await drop()
  return text
}

function requestViolations(headers: Headers): unknown[] {
  const all: { location: string[] }[] = JSON.parse(headers.get('sl-violations') ?? '[]')
  return all.filter(({ location }) => location[0] === 'request')
}
