import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { Client, Pool } from 'pg'
import { expect, inject, test, vi } from 'vitest'
import { startProgram } from '../../../test/support/start-program.ts'
import { createTarget, describeOnEachWay, embedded } from '../../../test/support/databases.ts'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import { DatabaseError, openDatabase } from './index.ts'
import { readTarget } from './internal.ts'

vi.setConfig({ testTimeout: 30_000 })

const secret = 'hunter2-secret'

test.each([
  [`mysql://root:${secret}@host/db`, 'mysql://'],
  [`host=x password=${secret}`, 'not a PostgreSQL URL'],
  ['', 'which is also the default'],
])('rejects %j without quoting it', (target, said) => {
  const error = errorOf(() => openDatabase(target))
  expect(error).toMatchObject({ code: 'bad_target', message: expect.stringContaining(said) })
  expect(inspect(error)).not.toContain(secret)
})

test.each([
  ['null', null, 'type null'],
  ['a number', 5432, 'type number'],
  ['a URL object', new URL(`postgres://user:${secret}@host/db`), 'href'],
  [
    'the options of a pool',
    { connectionString: `postgres://user:${secret}@host/db` },
    'that string',
  ],
  ['a client', new Client({ password: secret }), 'pg.Client'],
  ['an empty object', {}, 'no pool'],
  ['a folder of another type', { folder: 5 }, 'no string'],
  ['a folder of an unset variable', { folder: '' }, 'without a name'],
])('rejects %s as a database, without quoting it', (_name, target, said) => {
  const error = errorOf(() => Reflect.apply(openDatabase, undefined, [target]))
  expect(error).toMatchObject({ code: 'bad_target', message: expect.stringContaining(said) })
  expect(inspect(error)).not.toContain(secret)
})

test.each([
  ['sslrootcert=/missing.pem', 'sslrootcert=/missing.pem: ENOENT'],
  ['sslmode=verify-full&sslcert=/', 'sslcert=/: EISDIR'],
  ['sslkey=/missing.key', 'sslkey=/missing.key: ENOENT'],
])('names the file that a URL with ?%s needs', async (parameters, said) => {
  const database = openDatabase(`postgres://user:${secret}@host/db?${parameters}`)
  const error: unknown = await database.open().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'bad_target', message: expect.stringContaining(said) })
  expect(inspect(error, { depth: 9 })).not.toContain(secret)
  await database.close()
})

test('rejects an unparsable URL without quoting it', async () => {
  const database = openDatabase(`postgres://user:${secret}#1@host:5432/db`)
  const error: unknown = await database.open().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'bad_target', message: expect.stringContaining('encode') })
  expect(inspect(error, { depth: 9 })).not.toContain(secret)
  await database.close()
})

test.each([
  { maxConnections: 0 },
  { queryTimeoutMs: 0 },
  { connectionTimeoutMs: 1.5 },
  { lockWaitMs: -1 },
  { migrationTimeoutMs: Number.POSITIVE_INFINITY },
])('rejects %j', (options) => {
  const [name = ''] = Object.keys(options)
  const error = errorOf(() => openDatabase(undefined, options))
  expect(error).toMatchObject({ code: 'bad_option', message: expect.stringContaining(name) })
})

test('reports an unreachable server within the time limit, without the password', async () => {
  const database = openDatabase(`postgres://user:${secret}@127.0.0.1:1/db`)
  const error: unknown = await database.open().catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('ECONNREFUSED'),
  })
  expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  expect(inspect(error, { depth: 9 })).not.toContain(secret)
  await database.close()
})

test('reports an unreachable server if the host has several addresses', async () => {
  const database = openDatabase('postgres://user@localhost:1/db')
  await expect(database.open()).rejects.toMatchObject({
    message: expect.stringContaining('ECONNREFUSED'),
  })
  await database.close()
})

test('names a missing database', async () => {
  const url = new URL(inject('postgresUrl'))
  url.pathname = '/nowhere'
  const database = openDatabase(url.href)
  await expect(database.open()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('"nowhere" does not exist'),
  })
  await database.close()
})

test('does not keep a process running that recovers the data of a killed one', async () => {
  const { target, drop } = await createTarget('pglite')
  if (typeof target === 'string') throw new Error('It is a folder.')
  const program = new URL('../../../test/support/use-database.ts', import.meta.url)
  const killed = startProgram(program, [target.folder])
  killed.send('select 1')
  await killed.nextLine()
  await killed.stop('SIGKILL')

  const next = startProgram(program, [target.folder])
  next.send('select 1')
  await next.nextLine()
  next.closeInput()
  expect(await next.ended).toBe(0)
  await drop()
})

test('opens nothing before the first call, then the default folder below the cwd', async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'feed-receiver-cwd-')))
  const program = new URL('../../../test/support/default-folder.ts', import.meta.url)
  const child = startProgram(program, [], { cwd })
  expect(await child.nextLine()).toBe('made')
  expect(existsSync(join(cwd, '.feed-receiver'))).toBe(false)
  child.send('open')
  expect(await child.nextLine()).toBe('opened')
  expect(existsSync(join(cwd, '.feed-receiver/database/data/PG_VERSION'))).toBe(true)
  child.send('end')
  expect(await child.ended).toBe(0)
  expect(existsSync(join(cwd, '.feed-receiver/database/lock'))).toBe(false)
  await rm(cwd, { recursive: true })
})

test('opens no embedded database in production that nobody asked for', async ({
  onTestFinished,
}) => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('NODE_ENV', 'production')
  await using database = openDatabase(undefined, { lockWaitMs: 0 })
  for (const call of [database.open(), database.query('select 1')]) {
    await expect(call).rejects.toMatchObject({
      code: 'no_database',
      message: expect.stringMatching(/DATABASE_URL .* PostgreSQL.* file:\.feed-receiver\/database/),
    })
  }
})

test.each([
  ['file:data/feed', 'data/feed'],
  ['file:./data/feed', './data/feed'],
  ['file:/srv/feed', '/srv/feed'],
  ['file:///srv/feed', '/srv/feed'],
])('reads the folder of %s', (text, folder) => {
  expect(readTarget(text)).toEqual({ folder })
})

test.each(['file:', 'file://host/feed', 'data/feed', 'postgres://db/file:x'])(
  'reads no folder from %s',
  (text) => {
    expect(readTarget(text)).toBe(text)
  },
)

describeOnEachWay('closing on %s', (kind) => {
  test(
    'happens once for all callers, waits for running calls, and is final',
    embedded,
    async () => {
      const { target, drop } = await createTarget(kind)
      const database = openDatabase(target)
      const order: string[] = []
      const slow = database
        .tx((tx) => tx.query('select pg_sleep(0.2)'))
        .then(() => order.push('statement'))
      await Promise.all([database.close(), database.close()])
      order.push('closed')
      await slow
      expect(order).toEqual(['statement', 'closed'])
      await database.close()
      await expect(database.query('select 1')).rejects.toMatchObject({ code: 'closed' })
      await expect(database.tx(async () => 1)).rejects.toMatchObject({ code: 'closed' })
      await expect(database.open()).rejects.toMatchObject({ code: 'closed' })
      await drop()
    },
  )

  test(
    'opens nothing before the first use, and frees the database for others',
    embedded,
    async ({ onTestFinished }) => {
      const { target, drop } = await createTarget(kind)
      await openDatabase(target).close()
      {
        await using database = openDatabase(target)
        await database.query('create table kept (id int)')
      }
      // Named, it opens in production, too.
      onTestFinished(() => void vi.unstubAllEnvs())
      vi.stubEnv('NODE_ENV', 'production')
      const named = typeof target === 'string' ? target : `file:${target.folder}`
      await using again = openDatabase(named)
      expect((await again.query('select from kept')).rowCount).toBe(0)
      await again.close()
      await drop()
    },
  )
})

test('leaves a given pool open with its listeners restored', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  const pool = new Pool({ connectionString: url, max: 2 })
  const database = openDatabase(pool)
  expect(pool.listenerCount('error')).toBe(1)
  expect((await database.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
  await database.close()
  expect(pool.listenerCount('error')).toBe(0)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
  await drop()
})

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseError)
    return error
  }
  throw new Error('it did not throw')
}
