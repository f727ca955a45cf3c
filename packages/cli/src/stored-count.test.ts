import { PassThrough, Readable } from 'node:stream'
import { createSender, fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { startApp } from '../test/start-app.ts'
import { createOutput } from './output/output.ts'
import { withStoredCount } from './commands/check.ts'

const secret = 'feed_whsec_countingtest0123456789abcdef'
const event = fixture('destination_test')

type Options = Partial<Parameters<typeof withStoredCount>[0]>

/** What a run would count of these events, or null if it would count nothing, and the notes. */
async function countOf(
  options: Options,
  { env = {}, ids = [event.id] }: { env?: Record<string, string>; ids?: string[] } = {},
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const out = createOutput({ stdout, stderr, isJson: false })
  const { signal } = new AbortController()
  const context = {
    out,
    env,
    ownEnv: env,
    input: Readable.from([]),
    canAsk: false,
    verbs: [],
    signal,
  }
  const unset = { shard: undefined, source: undefined, schema: undefined, countCommand: undefined }
  const all = { database: undefined, countSql: undefined, ...unset, ...options }
  const counts = await withStoredCount(all, context, (count) =>
    Promise.all(ids.map(async (id) => (await count?.(id)) ?? null)),
  )
  return { counts, notes: String(stderr.read() ?? '') }
}

describe('the count of stored events', () => {
  it('is that of the inbox of DATABASE_URL if there is one', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    await using sender = createSender({ secret })
    await sender.deliver(event, { to: app.url })
    const [, DATABASE_URL = ''] = app.databaseArguments
    const found = await countOf({}, { env: { DATABASE_URL }, ids: [event.id, 'evt_none'] })
    expect(found).toEqual({ counts: [1, 0], notes: '' })

    const none = await countOf({}, { env: { DATABASE_URL: 'postgres://127.0.0.1:9/none' } })
    expect(none).toEqual({
      counts: [null],
      notes: expect.stringContaining('Stored events are not counted in DATABASE_URL'),
    })
    expect(await countOf({}, { env: { DATABASE_URL: '' } })).toEqual({ counts: [null], notes: '' })
  })

  it.each(['postgres', 'pglite'] as const)('is that of the SQL on %s', async (kind) => {
    const app = await startApp({ kind, secret })
    await using sender = createSender({ secret })
    await sender.deliver(event, { to: app.url })
    // One process opens an embedded database only once.
    await app.stop()
    const [, database = ''] = app.databaseArguments
    const countSql = 'select count(*) from feed_inbox.entry where event_id = $1'
    const { counts } = await countOf({ database, countSql }, { ids: [event.id, 'evt_none'] })
    expect(counts).toEqual([1, 0])
  })

  it('is the number that the command prints', async () => {
    const countCommand = '[ "$FEED_EVENT_ID" = evt_2 ] && echo 2 || echo 0'
    expect(await countOf({ countCommand }, { ids: ['evt_2', 'evt_none'] })).toMatchObject({
      counts: [2, 0],
    })
  })

  it.each([
    ["echo 'no such table' >&2; exit 3", 'the command exited with 3: no such table'],
    ['echo 1 event', 'the command must print one whole number and nothing else'],
  ])('fails with the command %j', async (countCommand, says) => {
    await expect(countOf({ countCommand })).rejects.toThrow(says)
  })
})
