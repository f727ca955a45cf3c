import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import { memoryInbox, type MemoryInbox } from '@feed-receiver/core/testing'
import { onTestFinished } from 'vitest'

export interface Arrival {
  headers: IncomingHttpHeaders
  body: string
  /** The id in the body, or an empty text. */
  eventId: string
}

export interface TestApp {
  url: string
  arrivals: Arrival[]
  inbox: MemoryInbox
  /** An inbox to store in instead. */
  store?: DeliveryInbox
  /** The secrets that its receiver goes by. */
  secrets: string[]
  /** What it answers instead of its receiver; null hands over to that again. */
  answer: ((arrival: Arrival) => Answer | Promise<Answer>) | null
  /** Closes it before the test is over. */
  close(): void
}

export interface Answer {
  status: number
  headers?: Record<string, string>
}

/** A real app on loopback with a receiver and its memory inbox, for the time of one test. */
export async function openApp(port = 0): Promise<TestApp> {
  const inbox = memoryInbox()
  const app: TestApp = {
    url: '',
    arrivals: [],
    inbox,
    secrets: ['feed_whsec_that_nobody_signs_with'],
    answer: null,
    close,
  }
  const server = createServer((request, response) => void take(request, response))

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const arrival = { headers: request.headers, body: bytes.toString(), eventId: idIn(bytes) }
    app.arrivals.push(arrival)
    if (app.answer) {
      const { status, headers = {} } = await app.answer(arrival)
      response.writeHead(status, headers).end()
      return
    }
    // Anew each time, since the secrets may be others by now.
    const receiver = createReceiver({ secrets: app.secrets, inbox: app.store ?? inbox })
    const reply = await receiver.receive({ ...fromNode(request), body: bytes })
    response.writeHead(reply.status, { ...reply.headers }).end(reply.body)
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(close)
  app.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/feed`
  return app

  function close(): void {
    server.closeAllConnections()
    server.close()
  }
}

function idIn(bytes: Buffer): string {
  try {
    return JSON.parse(bytes.toString()).id ?? ''
  } catch {
    return ''
  }
}
