import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SenderError } from '../errors.ts'
import type { Fault } from './faults.ts'
import { listen } from './open-app.ts'

const ofConnections = ['slow_body', 'reset_after_commit'] as const satisfies readonly Fault[]

/** Whether one of the faults is made in the connection, by a proxy. */
export function needProxy(faults: readonly Fault[]): boolean {
  return ofConnections.some((fault) => faults.includes(fault))
}

/**
 * Stands between sender and app, and does to their connections what a network may do.
 *
 * @throws SenderError `invalid_destination` for an app behind TLS, whose requests it could not read.
 */
export async function openFaultProxy(
  origin: string,
  faults: readonly Fault[],
): Promise<AsyncDisposable & { origin: string }> {
  const address = addressOf(origin)
  const open = new Set<Socket>()
  const answered = new Set<string>()
  const pass = faults.includes('slow_body') ? drip : write
  const server = createServer((client) => {
    const app = connect(address)
    for (const socket of [client, app]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    client.on('close', () => app.destroy())
    app.on('close', () => client.destroy())

    let id = ''
    let passed: Promise<unknown> = Promise.resolve()
    client.on('data', (chunk) => {
      id = readEventId(chunk) ?? id
      passed = passed.then(() => pass(app, chunk))
    })
    app.on('data', (chunk) => {
      if (!faults.includes('reset_after_commit') || answered.has(id)) return client.write(chunk)
      answered.add(id)
      return client.resetAndDestroy()
    })
  })
  return {
    origin: await listen(server),
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Where an app listens, as `connect` takes it. */
export function addressOf(origin: string): { host: string; port: number } {
  const { protocol, hostname, port } = new URL(origin)
  if (protocol === 'http:') {
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) }
  }
  const names = ofConnections.join(' and ')
  throw new SenderError(
    'invalid_destination',
    `The faults ${names} work over plain http alone. Give the http address of the app.`,
  )
}

/** The id in the head of a request; undefined for what is no head. */
function readEventId(chunk: Buffer): string | undefined {
  const [head = ''] = chunk.toString('latin1').split('\r\n\r\n')
  if (!head.startsWith('POST ')) return undefined
  return /\r\nfeed-event-id: ([^\r]*)/i.exec(head)?.[1] ?? ''
}

async function write(app: Socket, chunk: Buffer): Promise<void> {
  app.write(chunk)
}

const pieces = 10

/** The head at once, and the body in pieces. */
async function drip(app: Socket, chunk: Buffer): Promise<void> {
  const bodyAt = chunk.indexOf('\r\n\r\n') + 4
  app.write(chunk.subarray(0, bodyAt))
  const size = Math.ceil((chunk.length - bodyAt) / pieces)
  for (let at = bodyAt; at < chunk.length; at += size) {
    await delay(50)
    app.write(chunk.subarray(at, at + size))
  }
}
