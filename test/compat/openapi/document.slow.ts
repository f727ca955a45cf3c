import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { createTarget } from '../../support/databases.ts'
import { startSandbox, type TestSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'

const tools = join(root, 'test/support/tools')

/** Uses a client that openapi-fetch creates from the generated types. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './feed.js'

const [baseUrl = '', key = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + key } })

const first = await client.GET('/v1/events', { params: { query: { limit: 5, confirmation: 'all' } } })
if (!first.data) throw new Error(first.error.code)
const events: components['schemas']['Event'][] = first.data.data
const cursor: string | null = first.data.nextCursor
const next = await client.GET('/v1/events', {
  params: { query: { ...(cursor !== null && { cursor }), limit: 5, confirmation: 'all' } },
})
const some = await client.GET('/v1/events', { params: { query: { type: 'of_a_later_day' } } })
const listed = await client.GET('/v1/account-events', { params: { query: { limit: 1 } } })
const eventRef: string = listed.data?.data[0]?.eventRef ?? ''
const one = await client.GET('/v1/account-events/{eventRef}', { params: { path: { eventRef } } })
const rejected = await client.GET('/v1/events', { params: { query: { cursor: 'x' } } })
const code: string | undefined = rejected.error?.code
const phase: 'started' | 'updated' | 'resolved' | 'context' | undefined = events[0]?.incident?.phase
console.log(JSON.stringify({
  count: events.length,
  statuses: [first, next, some, listed, one, rejected].map(({ response }) => response.status),
  code,
  isSame: one.data?.event.eventRef === eventRef,
  phase: typeof phase,
}))
`

describe('the OpenAPI document', () => {
  let made: TestSandbox
  let drop: () => Promise<void>
  let folder = ''
  let document: { paths: Record<string, unknown> }

  beforeAll(async () => {
    // The folder with the packages of the tools.
    folder = await mkdtemp(join(tools, 'openapi-'))
    const { target, drop: dropTarget } = await createTarget('pglite')
    drop = dropTarget
    made = await startSandbox({ database: target, historyDays: 5 })
    document = (await made.get('/v1/schema.json', { key: null })).body
    await writeFile(join(folder, 'feed.json'), JSON.stringify(document))
    await tool('openapi-typescript', ['feed.json', '-o', 'feed.d.ts'])
  }, 120_000)
  afterAll(async () => {
    await made.sandbox.stop()
    await drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('passes redocly without errors or warnings [R139]', async () => {
    const { stdout } = await lint('feed.json')
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 } })
  })

  it('fails redocly if it is invalid', async () => {
    const wrong = structuredClone(document)
    wrong.paths['/v1/other/{id}'] = { get: { responses: {} } }
    await writeFile(join(folder, 'wrong.json'), JSON.stringify(wrong))
    await expect(lint('wrong.json')).rejects.toMatchObject({ code: 1 })
  })

  it('generates a typed client that works [R139]', async () => {
    await writeFile(join(folder, 'program.mts'), program)
    await check('program.mts')
    const run = ['--import', import.meta.resolve('tsx'), 'program.mts', made.sandbox.url, made.key]
    const { stdout } = await promisify(execFile)(process.execPath, run, { cwd: folder })
    expect(JSON.parse(stdout)).toMatchObject({
      count: 5,
      statuses: [200, 200, 200, 200, 200, 400],
      code: 'invalid_request',
      isSame: true,
    })
  })

  it.each([
    ['a parameter of another type', "params: { query: { limit: 'five' } }"],
    ['an unknown confirmation', "params: { query: { confirmation: 'none' } }"],
    ['an unknown parameter', 'params: { query: { page: 2 } }'],
  ])('generates a client that rejects %s', async (_, options) => {
    const wrong = `import createClient from 'openapi-fetch'
      import type { paths } from './feed.js'
      await createClient<paths>({}).GET('/v1/events', { ${options} })`
    await writeFile(join(folder, 'wrong.mts'), wrong)
    await expect(check('wrong.mts')).rejects.toMatchObject({
      stdout: expect.stringMatching(/^wrong\.mts/),
    })
  })

  it('generates a client that knows optional members', async () => {
    const wrong = `import type { components } from './feed.js'
      export const length = (event: components['schemas']['Event']) => event.incident.sequence`
    await writeFile(join(folder, 'missing.mts'), wrong)
    await expect(check('missing.mts')).rejects.toMatchObject({
      stdout: expect.stringMatching(/possibly 'undefined'/),
    })
  })

  async function lint(file: string): Promise<{ stdout: string }> {
    return await tool('redocly', ['lint', '--format', 'json', file])
  }

  async function check(file: string): Promise<void> {
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2023']
    const modules = ['--module', 'nodenext', '--types', 'node', '--typeRoots', types]
    await tool('tsc', [...options, ...modules, file])
  }

  async function tool(name: string, args: string[]): Promise<{ stdout: string }> {
    // Otherwise redocly sends telemetry.
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const command = join(tools, 'node_modules/.bin', name)
    return await promisify(execFile)(command, args, {
      cwd: folder,
      env: { ...process.env, ...quiet },
    })
  }
})

const types = join(root, 'node_modules/@types')
