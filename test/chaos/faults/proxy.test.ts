import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startProxy, type Proxy } from './proxy.ts'

it('forwards bytes in both directions', async () => {
  const { client } = await setup()
  client.write('hello')
  expect(await once(client, 'data')).toEqual([Buffer.from('hello')])
})

it('resets every connection, and returns their number', async () => {
  const { client, proxy } = await setup()
  client.write('hello')
  await once(client, 'data')
  expect(proxy.cut()).toBe(1)
  await expect.poll(() => client.destroyed).toBe(true)
  await expect.poll(() => proxy.cut()).toBe(0)
})

it('silences open connections, and accepts new ones', async () => {
  const { client, proxy } = await setup()
  client.write('hello')
  await once(client, 'data')
  expect(proxy.silence()).toBe(1)
  let seen = ''
  client.on('data', (bytes) => (seen += bytes.toString()))
  client.write('anybody?')
  const other = connect(proxy.port, '127.0.0.1')
  other.write('hello')
  expect(await once(other, 'data')).toEqual([Buffer.from('hello')])
  other.destroy()
  expect({ seen, isOpen: !client.destroyed }).toEqual({ seen: '', isOpen: true })
})

it('keeps the order of delayed bytes', async () => {
  const { client, proxy } = await setup()
  let letGo: (() => void) | undefined
  proxy.meddle(async ({ bytes, way, forward }) => {
    if (way === 'up' && letGo === undefined) await new Promise<void>((go) => (letGo = go))
    forward(bytes)
  })
  client.write('first')
  await expect.poll(() => letGo).toBeDefined()
  client.write('second')
  letGo?.()
  let seen = ''
  client.on('data', (bytes) => (seen += bytes.toString()))
  await expect.poll(() => seen).toBe('firstsecond')
})

it('drops bytes that are not forwarded, until undone', async () => {
  const { client, proxy } = await setup()
  let dropped = ''
  proxy.meddle(({ bytes }) => {
    dropped += bytes.toString()
  })
  client.write('lost')
  await expect.poll(() => dropped).toBe('lost')
  proxy.unmeddle()
  client.write('kept')
  expect(await once(client, 'data')).toEqual([Buffer.from('kept')])
})

it('distributes connections over servers, and rejects them if there is none', async () => {
  const names = await Promise.all(['a', 'b'].map((name) => serve((socket) => socket.end(name))))
  const ports = [...names]
  const proxy = await start(() => ports)
  const ask = async () => String(await once(connect(proxy.port, '127.0.0.1'), 'data'))
  expect(new Set([await ask(), await ask()])).toEqual(new Set(['a', 'b']))
  ports.splice(0)
  await expect(ask()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

async function setup(): Promise<{ client: Socket; proxy: Proxy }> {
  const port = await serve((socket) => socket.pipe(socket))
  const proxy = await start(() => [port])
  const client = connect(proxy.port, '127.0.0.1')
  client.on('error', () => undefined)
  await once(client, 'connect')
  return { client, proxy }
}

async function serve(serveOne: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    serveOne(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function start(ports: () => readonly number[]): Promise<Proxy> {
  const proxy = await startProxy(ports)
  onTestFinished(() => proxy.close())
  return proxy
}
