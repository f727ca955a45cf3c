import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Handlers } from '@feed-receiver/inbox'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { createSender, fixture } from '@feed-receiver/sender'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { describeOnEach, filledKinds, type DatabaseKind } from '../../../test/support/databases.ts'
import { runCli, type RunOptions } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { startApp, useApp, type App } from '../test/start-app.ts'

const secret = 'feed_whsec_rehearsetest0123456789abcdef'

/** Writes a module of handlers to a new folder. */
async function writeModule(code: string, name = 'handlers.mjs'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-rehearse-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, name), code)
  return join(folder, name)
}

const handlers: Handlers = { '*': () => undefined }

/** An app with two stored outages and a release, and the command for its database. */
async function startFilled(kind: DatabaseKind) {
  const app = await startApp({ kind, secret, handlers })
  await fill(app)
  return commandsOf(app, kind)
}

async function fill(app: App): Promise<void> {
  await using sender = createSender({ secret })
  const outage = fixture('outage_started')
  for (const event of [
    fixture('outage_started', { id: 'evt_1' }),
    fixture('outage_started', { id: 'evt_2', data: { ...outage.data, summary: null } }),
    fixture('model_release', { id: 'evt_3' }),
  ]) {
    expect(await sender.attempt(event, { to: app.url })).toMatchObject({ status: 202 })
  }
  await untilIdle(app.inbox)
}

function commandsOf({ databaseArguments }: App, kind: DatabaseKind = 'postgres') {
  // Only another process can share the embedded database of the running app.
  const run = kind === 'pglite' ? runCli : runMain
  return {
    rehearse: (file: string, args: string[] = [], options: RunOptions = {}) =>
      run(['rehearse', file, ...args, ...databaseArguments], options),
    /** As a process of its own, which handlers can disturb. */
    rehearseAlone: (file: string, args: string[] = [], options: RunOptions = {}) =>
      runCli(['rehearse', file, ...args, ...databaseArguments], options),
  }
}

describe.each(filledKinds)('rehearse on %s', (kind) => {
  it('reports what handlers would do, and which one throws', async () => {
    const { rehearseAlone } = await startFilled(kind)
    const file = await writeModule(`export const handlers = {
      outage_started: async (event, { tx, effects }) => {
        await effects.once('mail', () => { throw new Error('It was run.') })
        console.log('Printed by the handler.')
        await tx.query('create table if not exists page (id text)')
        await tx.query('insert into page values ($1)', [event.id])
        event.data.summary.trim()
      },
    }`)
    const text = await rehearseAlone(file)
    expect(text).toMatchObject({ code: 1, stderr: expect.stringContaining('Printed by the') })
    expect(text.stdout).toMatch(
      /^Rehearsed 3 events in .* s: 1 handled, 1 threw, 1 without a handler\. Every/,
    )
    expect(text.stdout).toMatch(/outage_started +public\.page +1 +0 +0\n/)
    expect(text.stdout).toMatch(/outage_started +mail +2 +0\n/)
    expect(text.stdout).toMatch(/outage_started: TypeError: Cannot read.*null/)
    expect(text.stdout).toMatch(
      / {2}at \S*handlers\.mjs:7:28\n {2}1 event: evt_2\n {2}In 1 of them/,
    )
    expect(text.stdout).toContain('- Network calls')
  })
})

describeOnEach('rehearse on %s', (kind) => {
  it('exits with 0 if all events are handled, and with 1 if none matches', async () => {
    const { rehearse } = await startFilled(kind)
    const file = await writeModule('export default { "*": () => undefined }')
    expect(await rehearse(file, ['--limit', '2'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Rehearsed 2 events'),
    })
    expect(await rehearse(file, ['--search', 'evt_2'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Rehearsed 1 event'),
    })
    expect(await rehearse(file, ['--provider', 'nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No stored event matches'),
    })
  })
})

describe('rehearse', () => {
  const app = useApp({ kind: 'postgres', secret, handlers })
  // No rehearsal changes it.
  beforeAll(() => fill(app()))
  const filled = () => commandsOf(app())

  it('waits for the running handler on Ctrl-C, and prints the report', async () => {
    let onInterrupt = () => {}
    const interruptedWhen = new Promise<void>((resolve) => (onInterrupt = resolve))
    const file = await writeModule(`
      import { setTimeout as delay } from 'node:timers/promises'
      import { once } from 'node:events'
      import { writeFileSync } from 'node:fs'
      const interrupted = once(process, 'SIGINT')
      setInterval(() => undefined, 1000)
      export const handlers = { '*': async () => {
        writeFileSync(process.env.BEGUN, '')
        await interrupted
        await delay(100)
      } }`)
    const begun = `${file}.begun`
    const running = filled().rehearseAlone(file, ['--concurrency', '1'], {
      env: { BEGUN: begun },
      interruptedWhen,
    })
    await expect.poll(() => existsSync(begun)).toBe(true)
    onInterrupt()
    expect(await running).toMatchObject({
      code: 130,
      stdout: expect.stringMatching(/Rehearsed 1 event .*\nIt was interrupted/),
      stderr: expect.stringContaining('Press Ctrl-C again'),
    })
  })

  it.each(['process.stdout.write', 'console.log', 'console.dir', 'console.table'])(
    'prints only the report to stdout, although the handlers call %s',
    async (write) => {
      const file = await writeModule(`
        ${write}('at the import')
        export default { '*': async () => {
          ${write}('at once')
          await Promise.resolve()
          ${write}('a little later')
        } }`)
      const { stdout, stderr } = await filled().rehearseAlone(file, ['--json'])
      expect(JSON.parse(stdout)).toMatchObject({ events: 3, handled: 3 })
      for (const text of ['at the import', 'at once', 'a little later']) {
        expect(stderr).toContain(text)
      }
    },
  )

  it('prints the report as JSON, of one type and without the network', async () => {
    const file = await writeModule(
      'export default { outage_started: (event) => void event.data.summary.trim() }',
    )
    const options = ['--type', 'outage_started', '--json', '--forbid-network']
    const report = JSON.parse((await filled().rehearse(file, options)).stdout)
    expect(report).toMatchObject({ events: 2, handled: 1, thrown: 1, ended: 'all' })
    expect(report.limitations.join()).not.toContain('network')
  })

  it('reports unhandled promise rejections', async () => {
    const file = await writeModule(`export const handlers = { '*': async () => {
      void Promise.reject(new Error('nobody hears'))
      await new Promise(setImmediate)
    } }`)
    expect(await filled().rehearseAlone(file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/3 promises were rejected.*nobody hears/),
    })
  })

  it('counts a handler that calls process.exit as failed', async () => {
    const file = await writeModule('export const handlers = { "*": () => { process.exit(0) } }')
    expect(await filled().rehearse(file)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/3 threw[^]+process\.exit\(0\) would[^]+at \S*handlers\.mjs:1/),
    })
  })

  it('prints errors in one line without passwords', async () => {
    const says = `throw new Error('lost postgres://ada:password-1@db/app\\r\\nand more')`
    const file = await writeModule(`export const handlers = { '*': () => { ${says} } }`)
    const runs = [
      await filled().rehearse(file),
      await filled().rehearse(file, ['--json']),
      await filled().rehearse(await writeModule(says)),
    ]
    expect(runs.map(({ code }) => code)).toEqual([1, 1, 1])
    const printed = runs.map(({ stdout, stderr }) => stdout + stderr)
    for (const text of printed) {
      expect(text).toContain('lost postgres://***@db/app')
      expect(text).not.toContain('password-1')
    }
    expect(printed[0]).toContain('db/app and more\n')
  })

  it('prints no empty sections', async () => {
    const file = await writeModule('export default { "*": () => undefined }')
    const handled = await filled().rehearse(file)
    expect(handled.stdout).not.toMatch(/Rows that would change|Effects:|\n\n\n/)
    const nothing = await filled().rehearse(file, ['--type', 'none'])
    expect(nothing.stdout).toMatch(/^Rehearsed 0 events [^\n]+\n$/)
  })

  it('uses the transaction and the effect results of the module', async () => {
    const [, url = ''] = app().databaseArguments
    const pg = import.meta.resolve('pg')
    const file = await writeModule(`
      import pg from ${JSON.stringify(pg)}
      export async function transaction(run) {
        const client = new pg.Client(${JSON.stringify(url)})
        await client.connect()
        try {
          await client.query('begin')
          const executeSql = (text, values) => client.query(text, values)
          await run(client, { executeSql })
          await client.query('commit')
        } catch (error) {
          await client.query('rollback')
          throw error
        } finally {
          await client.end()
        }
      }
      export const effectResult = (key, event) => ({ key, id: event.id })
      export const handlers = { '*': async (event, { tx, effects }) => {
        const { key, id } = await effects.once('mail', () => undefined)
        if (key !== 'mail' || id !== event.id) throw new Error('another result')
        await tx.query('create table page_of_client (id text)')
      } }`)
    const env = { DATABASE_URL: url }
    const run = await runMain(['rehearse', file, '--concurrency', '1'], { env })
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('3 handled') })
  })

  it.each([
    ['a module without handlers', 'export const handler = {}', 1, 'exports no handlers'],
    ['a handler that is not a function', 'export default { a: 1 }', 1, "The handler of 'a'"],
    ['a module that throws', 'throw new Error("not today")', 1, 'imported: not today'],
    [
      'an invalid transaction',
      'export default { a() {} }; export const transaction = 1',
      1,
      'not a function',
    ],
  ])('rejects %s', async (_, code, exitCode, message) => {
    const file = await writeModule(code)
    expect(await filled().rehearse(file)).toMatchObject({
      code: exitCode,
      stderr: expect.stringContaining(message),
    })
  })

  it('rejects a missing file and a database without an inbox', async () => {
    expect(await filled().rehearse('./nowhere.mjs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no file ./nowhere.mjs'),
    })
    const file = await writeModule('export default { "*": () => undefined }')
    expect(await filled().rehearse(file, ['--schema', 'elsewhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no inbox in the schema elsewhere of the database'),
    })
  })

  it('names the Node version that reads TypeScript', async () => {
    // A Node that strips types rejects an enum in the same way.
    const file = await writeModule('enum A { B }\nexport default { "*": () => A.B }', 'handlers.ts')
    expect(await filled().rehearseAlone(file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Use Node 22.18 or later'),
    })
  })
})
