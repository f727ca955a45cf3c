import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { closedPort, serve, serveRaw } from '../../test/serve.ts'
import { probeTarget } from './probe-target.ts'

const here = '127.0.0.1'
const allowLocal = true

test('connects to a reachable target and sends nothing [R180]', async () => {
  const received: unknown[] = []
  const closed = new Promise<void>((resolve) => {
    const server = createServer((socket: Socket) => {
      socket.on('data', (chunk) => received.push(chunk)).on('close', resolve)
    })
    server.listen(0, here, () => void probe(server.address() as AddressInfo))
    onTestFinished(() => void server.close())
  })
  const probed: unknown[] = []
  const lookup = async () => [{ address: here }]
  async function probe({ port }: AddressInfo): Promise<void> {
    probed.push(await probeTarget(`http://receiver.example:${port}/feed`, { allowLocal, lookup }))
  }
  await closed
  await expect.poll(() => probed).toEqual([null])
  expect(received).toEqual([])
})

test('requires TLS of an https target', async () => {
  const { url } = await serve((response) => response.writeHead(200).end())
  const failure = await probeTarget(url.replace('http:', 'https:'), { allowLocal })
  expect(failure).toMatchObject({ cause: 'tls' })
})

test('returns the failure of a target that refuses, has no address, or has a private one', async () => {
  expect(await probeTarget(await closedPort(), { allowLocal })).toMatchObject({ cause: 'connect' })
  const at = (...addresses: string[]) =>
    probeTarget('https://app.example.com', {
      lookup: async () => addresses.map((address) => ({ address })),
    })
  expect(await at()).toMatchObject({ cause: 'dns' })
  expect(await at('8.8.8.8', '10.0.0.1')).toMatchObject({ cause: 'blocked_address' })
})

test('times out during a slow DNS lookup or TLS handshake [R180]', async () => {
  const { url } = await serveRaw(() => {})
  const slow = { allowLocal, deadlineMs: 200 }
  const timedOut = { cause: 'timeout', code: 'deadline' }
  expect(await probeTarget(url.replace('http:', 'https:'), slow)).toMatchObject(timedOut)
  const lookup = () => new Promise<never>(() => {})
  expect(await probeTarget('http://slow.example', { ...slow, lookup })).toMatchObject(timedOut)
})

test('throws for a rejected URL', async () => {
  const rejected = { name: 'SenderError', code: 'invalid_destination' }
  await expect(probeTarget('http://app.example.com')).rejects.toMatchObject(rejected)
  await expect(probeTarget('https://127.0.0.1')).rejects.toMatchObject({ code: 'blocked_address' })
})
