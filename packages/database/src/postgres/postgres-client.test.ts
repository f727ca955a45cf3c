import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../index.ts'

test('does not crash the process if a connection opens and ends in one packet', async () => {
  // As a server sends them if it stops during a connect. A network may deliver them together.
  const opened = Buffer.concat([message('R', int32(0)), message('Z', Buffer.from('I'))])
  const ended = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mended by the administrator\0\0'))
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([opened, ended])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())

  const { port } = server.address() as AddressInfo
  const database = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`)
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'unavailable' })
  await database.close()
})

test('waits longer between its tries while the server has no connection left', async () => {
  let tries = 0
  const refusal = message('E', Buffer.from('SFATAL\0VFATAL\0C53300\0Mtoo many clients already\0\0'))
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      tries += 1
      socket.end(refusal)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())

  const { port } = server.address() as AddressInfo
  const database = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, {
    connectionTimeoutMs: 2_000,
  })
  await expect(database.query('select 1')).rejects.toMatchObject({
    code: 'unavailable',
    cause: { code: '53300' },
  })
  // After 0, 50, 150, 350, 750, 1150, 1550 and 1950 ms.
  expect(tries).toBeGreaterThan(2)
  expect(tries).toBeLessThan(12)
  await database.close()
})

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
