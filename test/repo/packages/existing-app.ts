import { createReceiver } from '@feed-receiver/core'
import { memoryInbox, signDelivery } from '@feed-receiver/core/testing'
import { onTestFinished } from 'vitest'
import { makeEvent, path, secret, type Serve } from '../../contract/harness.ts'

export interface Answer {
  status: number
  headers: Headers
  body: string
}

export interface DeliverOptions {
  /** The path of the delivery. */
  to?: string
  headers?: Record<string, string>
  /** How a proxy changes the body after it was signed. */
  encode?: (body: Uint8Array) => Uint8Array
}

/** Starts the app that a test creates around a receiver, and closes it after the test. */
export async function openApp(serve: Serve) {
  const inbox = memoryInbox()
  const { port, close } = await serve(createReceiver({ secrets: [secret], inbox }))
  onTestFinished(close)

  async function post(to: string, headers: Record<string, string>, body: Uint8Array | string) {
    const url = `http://127.0.0.1:${port}${to}`
    const sent = typeof body === 'string' ? body : new Uint8Array(body)
    const answer = await fetch(url, { method: 'POST', headers, body: sent })
    return { status: answer.status, headers: answer.headers, body: await answer.text() }
  }

  return {
    inbox,
    post,
    /** Signs and delivers an event, or exact bytes, like the service. */
    async deliver(
      event: object | Uint8Array = makeEvent(),
      { to = path, headers = {}, encode = (body) => body }: DeliverOptions = {},
    ): Promise<Answer> {
      const delivery = signDelivery(event, { secret, headers })
      return post(to, delivery.headers, encode(delivery.body))
    },
  }
}

/** Authentic bodies that a JSON parser rejects. */
export const awkward = {
  malformed: { body: Buffer.from('{"id":"evt_') },
  'not an object': { body: Buffer.from('"text"') },
  'charset=utf-16': { headers: { 'content-type': 'application/json; charset=utf-16' } },
  'charset=iso-8859-1': { headers: { 'content-type': 'application/json; charset=iso-8859-1' } },
  'over 100 kB': { body: Buffer.from(JSON.stringify(makeEvent({ padding: 'x'.repeat(120_000) }))) },
} satisfies Record<string, { body?: Uint8Array; headers?: Record<string, string> }>

/** An event whose JSON has many bytes that decoding and encoding may change. */
export function makeNonAsciiEvent() {
  const event = makeEvent()
  return { ...event, data: { ...event.data, title: 'Zürich ☃ 停電 \u2028 e\u0301 👩‍🚒 \ufeff' } }
}
