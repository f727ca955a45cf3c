import { createServer, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { Pool } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { openDatabase, type Database, type PgPool } from '../index.ts'

it('sends the begin with the first statement, and the last one with the commit', async () => {
  const { url, sent } = await recordWrites()
  await using database = openDatabase(url)
  await runTransaction(database)
  sent.length = 0
  await runTransaction(database)
  expect(sent).toEqual([
    expect.stringMatching(/^begin.*insert into note/s),
    expect.stringMatching(/^insert into note.*\bcommit$/s),
  ])
})

it('waits for each answer on the pool of an app', async () => {
  const { url, sent } = await recordWrites()
  const pool = new Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const given: PgPool = pool
  await using database = openDatabase(given)
  await runTransaction(database)
  sent.length = 0
  await runTransaction(database)
  expect(sent.map((text) => /^\w+/.exec(text)?.[0])).toEqual([
    'begin',
    'insert',
    'insert',
    'commit',
  ])
})

async function runTransaction(database: Database): Promise<void> {
  await database.tx(async (tx) => {
    tx.endWith({ text: `insert into note values ('last')`, values: [] })
    await tx.query(`insert into note values ('first')`)
  })
}

/** A database behind a proxy that records what each write of a client contains. */
async function recordWrites(): Promise<{ url: string; sent: string[] }> {
  const made = await createTestDatabase({ url: inject('postgresUrl') })
  await using direct = openDatabase(made.url)
  await direct.query('create table note (id text)')
  const { port, hostname } = new URL(made.url)
  const sent: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => socket.destroy()))
    }
    client.on('data', (bytes: Buffer) => sent.push(wordsOf(bytes)))
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await made.drop()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.')
  const url = new URL(made.url)
  url.port = String(address.port)
  return { url: url.href, sent }
}

/** The texts of the statements in a write, without the bytes of the protocol. */
function wordsOf(bytes: Buffer): string {
  const texts = bytes.toString('latin1').match(/[ -~\n]{6,}/g) ?? []
  return texts.map((text) => text.replace(/^.*?(?=begin|insert|commit)/s, '')).join('\n')
}
