import { request as connect } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { pipeline } from 'node:stream/promises'
import { SenderError } from '../errors.ts'
import type { Fault } from './faults.ts'
import type { NodeHandler } from './with-app.ts'

const ofConnections = ['slow_body', 'reset_after_commit'] as const satisfies readonly Fault[]

/** Whether one of the faults is a connection fault, which needs a proxy. */
export function needProxy(faults: readonly Fault[]): boolean {
  return ofConnections.some((fault) => faults.includes(fault))
}

/**
 * A proxy between sender and app that injects network faults into their connections.
 *
 * @throws SenderError `invalid_destination` for an app behind TLS, whose requests it cannot read.
 */
export function faultProxy(origin: string, faults: readonly Fault[]): NodeHandler {
  const address = addressOf(origin)
  const answered = new Set<unknown>()
  return (request, response) => {
    const { method, url: path, headers, rawHeaders } = request
    const passed = connect({ ...address, method, path, headers: rawHeaders, agent: false })
    passed.on('response', (answer) => {
      const id = headers['feed-event-id']
      if (!faults.includes('reset_after_commit') || answered.has(id)) {
        response.writeHead(answer.statusCode ?? 0, answer.statusMessage, answer.rawHeaders)
        return answer.on('error', () => response.destroy()).pipe(response)
      }
      answered.add(id)
      return request.socket.resetAndDestroy()
    })
    passed.on('error', () => response.headersSent || request.destroy())
    response.on('close', () => passed.destroy())
    passed.flushHeaders()
    const body = faults.includes('slow_body') ? inPieces(request) : request
    // An app may answer or disconnect before it has received the whole body.
    void pipeline(body, passed).catch(() => undefined)
  }
}

/** The address of an app, as `connect` accepts it. */
export function addressOf(origin: string): { host: string; port: number } {
  const { protocol, hostname, port } = new URL(origin)
  if (protocol === 'http:') {
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) }
  }
  const names = ofConnections.join(' and ')
  throw new SenderError(
    'invalid_destination',
    `The faults ${names} need plain http. Use the http URL of the app.`,
  )
}

const pieces = 10

async function* inPieces(body: AsyncIterable<Uint8Array>) {
  for await (const chunk of body) {
    const size = Math.ceil(chunk.length / pieces)
    for (let at = 0; at < chunk.length; at += size) {
      await delay(50)
      yield chunk.subarray(at, at + size)
    }
  }
}
