import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ReceiverRequest } from '@feed-receiver/core'
import type { Served } from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'

/** A delivery from relay-feed.ts. Its body is base64, or null if it was lost. */
export interface RelayedRequest extends Pick<ReceiverRequest, 'method'> {
  headers: Record<string, string>
  body: string | null
}

/** Serves the receiver of the current test to a program with relay-feed.ts. */
export async function startRelay(): Promise<Served> {
  return await listen((request, response) => void relay(request, response))
}

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers, body } = JSON.parse(await text(request)) as RelayedRequest
  const bytes = body === null ? 'already_read' : Buffer.from(body, 'base64')
  const reply = await globalThis.contractReceiver.receive({ method, headers, body: bytes })
  response.end(JSON.stringify(reply))
}
