import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import type { Server } from 'node:http'
import express, { type Request } from 'express'
import type { EventStore } from './event-store.ts'

export interface ReceiverOptions {
  secrets: readonly string[]
  store: EventStore
}

/** What each file in this folder exports: a receiver that does one thing wrong. */
export type MakeReceiver = (options: ReceiverOptions) => Server

export const path = '/webhooks/feed'

/** Leaves the bytes of the body in `request.body`, whatever they claim to be. */
export const rawBody = express.raw({ type: () => true, limit: '2mb' })

export function bytesOf({ body }: Request): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

export interface Signature {
  time: string
  signatures: string[]
}

export function readSignature(header: string | undefined): Signature | undefined {
  const form = /^t=(0|[1-9]\d{0,11})((?:,v1=[0-9a-f]{64}){1,4})((?:,(?!v1=|t=)\w+=[^,\s]+)*)$/
  const [, time, list] = form.exec(header ?? '') ?? []
  if (time === undefined || list === undefined) return undefined
  return { time, signatures: list.split(',v1=').slice(1) }
}

export function isSigned(
  { time, signatures }: Signature,
  body: Uint8Array,
  secrets: readonly string[],
): boolean {
  return secrets.some((secret) => {
    const expected = Buffer.from(sign(secret, time, body))
    return signatures.some((each) => timingSafeEqual(Buffer.from(each), expected))
  })
}

export function sign(secret: string, time: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
}

export function isInTime({ time }: Signature, toleranceSeconds = 300): boolean {
  return Math.abs(Date.now() / 1_000 - Number(time)) <= toleranceSeconds
}

/** The status for what is forged or late; undefined for what may be taken. */
export function refusalOf(request: Request, secrets: readonly string[]): number | undefined {
  const signature = readSignature(request.get('feed-signature'))
  if (!signature || !isSigned(signature, bytesOf(request), secrets)) return 401
  return isInTime(signature) ? undefined : 503
}

export interface ReadEvent {
  id: string
  type: string
  schema_version: string
  data: Record<string, unknown>
}

/** The event of a verified body; undefined for what a right receiver keeps aside. */
export function readEvent(body: Uint8Array): ReadEvent | undefined {
  try {
    if (!isUtf8(body)) return undefined
    const event = JSON.parse(Buffer.from(body).toString()) as ReadEvent
    const isReadable = typeof event.id === 'string' && event.id.length < 256
    return isReadable && event.schema_version === '1.0' ? event : undefined
  } catch {
    return undefined
  }
}

/** Whether somebody has put another id on the envelope than is in it. */
export function isMislabelled(request: Request, { id }: ReadEvent): boolean {
  return (request.get('feed-event-id') ?? id) !== id
}
