import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../test/support/databases.ts'
import { openDatabase } from './open-database.ts'

it('begins when a connection is free, however late', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const database = openDatabase(target, { maxConnections: 1, connectionTimeoutMs: 100 })
  onTestFinished(() => database.close())
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const first = database.tx(async (tx) => {
    await tx.query('select 1')
    await released
  })
  await expect(database.tx((tx) => tx.query('select 2 as n'))).rejects.toMatchObject({
    code: 'unavailable',
  })
  const { signal } = new AbortController()
  const waiting = database.tx((tx) => tx.query('select 3 as n'), { waitUntil: signal })
  setTimeout(release, 400)
  expect((await waiting).rows).toEqual([{ n: 3 }])
  await first
})

it('gives up when the signal aborts, and when the database closes', async () => {
  const server = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const database = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`)
  const unavailable = expect.objectContaining({ code: 'unavailable' })
  const stopping = new AbortController()
  const stopped = database.tx((tx) => tx.query('select 1'), { waitUntil: stopping.signal })
  setTimeout(() => stopping.abort(), 100)
  await expect(stopped).rejects.toEqual(unavailable)
  const endless = new AbortController()
  const closed = database.tx((tx) => tx.query('select 1'), { waitUntil: endless.signal })
  const [outcome] = await Promise.allSettled([closed, database.close()])
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'closed' } })
})
