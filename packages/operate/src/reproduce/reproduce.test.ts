import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { repository, shortLived } from '../../../../test/support/built-program.ts'
import { describeOnEach, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, Permanent, type Handlers, type Inbox } from '@feed-receiver/inbox'
import { reproduce } from '../rehearse/index.ts'
import { untilIdle } from '@feed-receiver/inbox/testing'

const hostile = `*/ \${x} \`' "\\ \u2028 \u202E </script>\nthrow 1 //`

// A separate vitest runs the tests.
describeOnEach('a reproduction from %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  const started = makeEvent({ type: 'outage_started' })
  const updated = makeEvent({ type: 'outage_updated', data: { ...started.data, title: hostile } })
  const subject = { type: 'model', key: 'corrected' }
  const before = makeEvent({ type: 'outage_started', data: { ...started.data, subject } })
  let inbox: Inbox
  let startedAt: string
  let died: Ran | undefined
  let fixed: Ran | undefined
  let corrected: Ran | undefined

  // The runner takes as long to start as a test to run, so it starts once.
  beforeAll(async () => {
    await database().query('create table page (id text primary key, page_id text)')
    inbox = createInbox({ database: database() })
    await inbox.start()
    const test = await letOneDie()
    const corrections = await letCorrectedDie()
    await inbox.stop()
    ;[died, fixed, corrected] = await runReproductions(
      [test, handlersThat(fail)],
      [test, handlersThat('')],
      [corrections, failsAtCorrection],
    )
  })

  it('fails as the handler failed, and passes after the fix', async () => {
    expect(died).toMatchObject({ title: `handles ${updated.id}`, status: 'failed' })
    expect(died?.message).toContain(`Error: no customer for ${hostile}`)
    expect(died?.message).toContain('handlers.ts:')
    expect(fixed).toMatchObject({ status: 'passed' })
  })

  it('gives the handler the time, the facts, the rows and the results of effects of then', () => {
    expect(JSON.parse(/seen: (\{[^\n]*\})/.exec(died?.message ?? '')?.[1] ?? '{}')).toEqual({
      note: 3,
      id: started.id,
      page: 'page-7',
      attempt: 1,
      via: 'push',
      revision: 1,
      change: 'new',
      title: hostile,
      times: [
        '2026-03-01T10:01:00',
        expect.stringContaining(startedAt),
        expect.stringContaining(startedAt),
      ],
    })
  })

  it('handles the earlier content of a corrected event', () => {
    expect(corrected?.message).toContain(
      JSON.stringify([
        [before.data.title, 'push', 'new', 1],
        ['Corrected', 'pull', 'correction', 2],
      ]),
    )
  })

  /** An event whose handler used its rows and effects. Returns its test file. */
  async function letOneDie(): Promise<string> {
    const receivedAt = new Date('2026-03-01T10:00:00.123Z')
    await inbox.accept({ ...deliveryOf(started), receivedAt })
    await inbox.accept({
      ...deliveryOf(updated),
      receivedAt: new Date(receivedAt.getTime() + 60_000),
    })
    await handle({
      outage_started: async (event, { tx, effects }) => {
        const pageId = await effects.once('page', () => 'page-7')
        await tx.query('insert into page values ($1, $2)', [event.id, pageId])
      },
      outage_updated: async (event, { effects }) => {
        await effects.once('note', () => ({ note: 3 }))
        throw new Permanent(`no customer for ${event.data.title}`)
      },
    })
    const written = await reproduce(inbox, updated.id)
    expect(written).toContain('State:  dead. The last attempt, number 1')
    const { job } = (await inbox.entries.get(updated.id)) ?? {}
    startedAt = job?.startedAt?.slice(0, 17) ?? ''
    return written.replace(`await database.query('select 1')`, createPage)
  }

  /** An event that was handled, corrected and handled again. Returns its test file. */
  async function letCorrectedDie(): Promise<string> {
    await inbox.accept(deliveryOf(before))
    await handle({ outage_started: () => undefined })
    const pull = { observedAt: before.created_at, correctedAt: new Date().toISOString() }
    const { event: pushed } = deliveryOf(before)
    const after = { ...pushed, data: { ...pushed.data, title: 'Corrected' }, pull }
    await inbox.acceptPage([after], { stream: 'events' })
    await handle({
      outage_started: () => {
        throw new Permanent('twice')
      },
    })
    return await reproduce(inbox, before.id)
  }

  async function handle(handlers: Handlers): Promise<void> {
    await inbox.drain(handlers)
    await untilIdle(inbox)
  }
})

const createPage = `await database.query('create table page (id text primary key, page_id text)')`

/** Fails as the handler did, and says what it sees. */
const fail = [
  `const { note } = await effects.once('note', () => { throw new Error('run') })`,
  `await effects.once('unknown', () => { throw new Error('run') })`,
  `const { rows } = await tx.query('select *, now() from page')`,
  `const facts = { note, id: rows[0].id, page: rows[0].page_id, attempt, via, revision, change }`,
  `const times = [receivedAt, new Date(), rows[0].now].map((at) => at.toISOString().slice(0, 19))`,
  `const seen = JSON.stringify({ ...facts, title: event.data.title, times })`,
  `throw new Error('no customer for ' + event.data.title + '\\nseen: ' + seen)`,
].join('\n')

const failsAtCorrection = `
  const seen = []
  export const handlers = {
    outage_started: ({ data }, { via, change, revision }) => {
      seen.push([data.title, via, change, revision])
      if (seen.length === 2) throw new Error(JSON.stringify(seen))
    },
  }`

/** The current handlers of the app. The parameter is the code of `outage_updated`. */
function handlersThat(does: string): string {
  return `
    export const handlers = {
      outage_started: async (event, { tx, effects }) => {
        const pageId = await effects.once('page', () => { throw new Error('run') })
        await tx.query('insert into page values ($1, $2)', [event.id, pageId])
      },
      outage_updated: async (event, { tx, effects, attempt, via, revision, change, receivedAt }) => {
        ${does}
      },
    }`
}

/** Runs tests, each beside its handlers, in one vitest, and returns the results. */
async function runReproductions(...tests: [test: string, handlers: string][]): Promise<Ran[]> {
  const folder = await mkdtemp(join(repository, 'test/.built/reproduction-'))
  try {
    // Otherwise vitest would find the config of this repository in a parent folder.
    const config = { test: { execArgv: shortLived } }
    await writeFile(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
    for (const [index, [test, handlers]] of tests.entries()) {
      await mkdir(join(folder, String(index)))
      await writeFile(join(folder, String(index), 'event.test.ts'), test)
      await writeFile(join(folder, String(index), 'handlers.ts'), handlers)
    }
    return await runVitest(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Ran {
  title: string
  status: string
  message: string | undefined
}

/** Each file has one test. */
async function runVitest(folder: string): Promise<Ran[]> {
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const env = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_)/.test(name))
  const args = ['run', '--root', folder, '--reporter=json', '--no-file-parallelism', '--no-isolate']
  const child = spawn(process.execPath, [vitest, ...args], {
    env: Object.fromEntries(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (!out.includes('{')) throw new Error(`${out}\n${errors}`)
  const report: {
    testResults: {
      name: string
      message: string
      assertionResults: { title: string; status: string; failureMessages: string[] }[]
    }[]
  } = JSON.parse(out)
  return report.testResults
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ message, assertionResults: [test] }) => {
      if (!test) throw new Error(message)
      return { title: test.title, status: test.status, message: test.failureMessages[0] }
    })
}
