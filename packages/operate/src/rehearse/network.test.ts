import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect, Socket, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget, type TestTarget } from '../../../../test/support/databases.ts'
import { createInbox, type Handler } from '@feed-receiver/inbox'
import { rehearse } from './index.ts'

describe('a rehearsal without network', () => {
  const named = ['first', 'second', 'third']
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end('well')
  })
  let made: TestTarget
  let host: string

  beforeAll(async () => {
    made = await createTarget('postgres', 'inbox')
    await using inbox = createInbox({ database: made.target })
    await inbox.start()
    for (const type of named) await inbox.accept(deliveryOf(makeEvent({ type })))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.close()
    server.closeAllConnections()
    await made.drop()
  })

  const run = (handler: Handler) =>
    rehearse({
      handlers: { futureTypes: { first: handler } },
      database: made.target,
      forbidNetwork: true,
    })

  const getWell = (path: string) =>
    new Promise((resolve, reject) => {
      get(`http://${host}${path}`, resolve).once('error', reject)
    })

  it.each<[string, () => Promise<unknown>]>([
    ['fetch', () => fetch(`http://${host}/fetch?token=secret`)],
    ['fetch of a request', () => fetch(new Request(`http://${host}/request`))],
    ['a request of node:http', () => getWell('/get')],
    ['a socket', () => once(connect(Number(host.split(':')[1]), '127.0.0.1'), 'connect')],
  ])('rejects handlers %s', async (_, call) => {
    const { thrown, types } = await run(call)
    expect(thrown).toBe(1)
    expect(types[0]?.errors[0]?.message).toContain(`connected to ${host}, which this`)
    expect(requests).toEqual([])
  })

  it('rejects a local socket', async () => {
    const { types } = await run(() => once(connect('/tmp/nobody-is-there'), 'connect'))
    expect(types[0]?.errors[0]?.message).toContain('a local socket')
  })

  it('counts a rejection that the handler caught', async () => {
    const { thrown } = await run(() => fetch(`http://${host}/caught`).catch(() => undefined))
    expect(thrown).toBe(1)
    expect(requests).toEqual([])
  })

  it('lets every transaction connect', async () => {
    let begun = 0
    const report = await rehearse({
      handlers: {
        '*': async (_, { tx }) => {
          await tx.query('select 1')
          begun += 1
          // All of them concurrently, so that new connections are needed.
          await expect.poll(() => begun).toBe(named.length)
        },
      },
      database: made.target,
      forbidNetwork: true,
    })
    expect(report).toMatchObject({ handled: 3, thrown: 0 })
  })

  it('lets other code connect, and restores both functions at the end', async () => {
    const before = { fetch: globalThis.fetch, connect: Reflect.get(Socket.prototype, 'connect') }
    const elsewhere: Promise<string>[] = []
    const fetchElsewhere = async () => (await fetch(`http://${host}/elsewhere`)).text()
    let start = () => {}
    const started = new Promise<void>((resolve) => (start = resolve))
    void started.then(() => elsewhere.push(fetchElsewhere()))
    const { handled } = await run(async () => {
      start()
      await expect.poll(() => requests).toEqual(['/elsewhere'])
    })
    expect(handled).toBe(1)
    expect(await Promise.all(elsewhere)).toEqual(['well'])
    expect(globalThis.fetch).toBe(before.fetch)
    expect(Reflect.get(Socket.prototype, 'connect')).toBe(before.connect)
  })

  it('changes neither function without the option', async () => {
    const { fetch } = globalThis
    const { handled } = await rehearse({
      handlers: { futureTypes: { first: () => expect(globalThis.fetch).toBe(fetch) } },
      database: made.target,
    })
    expect(handled).toBe(1)
  })
})
