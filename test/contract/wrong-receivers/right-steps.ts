import { isUtf8 } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { EventStore } from './event-store.ts'

export interface ReceiverOptions {
  secrets: readonly string[]
  store: EventStore
  /** For a receiver that stores events in a database. */
  databaseUrl?: string
}

export interface Signature {
  time: string
  signatures: string[]
}

export interface ReadEvent {
  id: string
  type: string
  schema_version: string
  data: Record<string, unknown>
}

/** The steps of a receiver, in this order. A wrong receiver changes some of them. */
export interface Steps {
  /** Leaves the body in `request.body`. */
  parser: RequestHandler
  bytesOf(request: Request): Buffer
  /** Returns a status to answer before anything is checked. */
  guard(request: Request, response: Response): number | undefined | Promise<void>
  secrets: readonly string[]
  readSignature(header: string | undefined): Signature | undefined
  /** Returns the bytes to verify. */
  signedBytes(bytes: Buffer): Buffer
  isSigned(signature: Signature, body: Buffer, secrets: readonly string[]): boolean
  isInTime(signature: Signature): boolean
  lateStatus: number
  /** May replace the status of a rejected delivery, or reject an accepted one. */
  reject(status: number | undefined, request: Request): number | undefined
  /** The event of a verified body; undefined if a right receiver quarantines the body. */
  readEvent(body: Buffer, request: Request): ReadEvent | undefined
  unreadable(body: Buffer): number | Promise<number>
  /** The status if the header has the id of another event. */
  mislabelledStatus: number
  keep(event: ReadEvent, body: Buffer): Promise<number>
  onServer(server: Server): void
}

/** The steps of a right receiver. */
export function rightSteps({ secrets, store }: ReceiverOptions): Steps {
  return {
    parser: express.raw({ type: () => true, limit: '2mb' }),
    bytesOf: ({ body }) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0)),
    guard: () => undefined,
    secrets,
    readSignature,
    signedBytes: (bytes) => bytes,
    isSigned,
    isInTime,
    lateStatus: 503,
    reject: (status) => status,
    readEvent,
    unreadable: () => 202,
    mislabelledStatus: 202,
    keep: async ({ id }) => ((await store.insertOnce(id)) ? 202 : 200),
    onServer: () => {},
  }
}

function readSignature(header: string | undefined): Signature | undefined {
  const members = (header ?? '').split(',').map((member) => member.trim())
  const valuesOf = (name: string) =>
    members.flatMap((member) => (member.startsWith(name) ? [member.slice(name.length)] : []))
  const [time, ...others] = new Set(valuesOf('t='))
  const signatures = valuesOf('v1=').filter((value) => /^[0-9a-f]{64}$/.test(value))
  const isRight = time !== undefined && others.length === 0 && /^(?:0|[1-9]\d{0,11})$/.test(time)
  return isRight && signatures.length > 0 ? { time, signatures } : undefined
}

function isSigned(
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

function readEvent(body: Uint8Array): ReadEvent | undefined {
  try {
    if (!isUtf8(body)) return undefined
    const event = JSON.parse(Buffer.from(body).toString()) as ReadEvent
    const isReadable = typeof event.id === 'string' && event.id.length < 256
    return isReadable && event.schema_version === '1.0' ? event : undefined
  } catch {
    return undefined
  }
}

/** Whether the id in the header differs from the id in the body. */
export function isMislabelled(request: Request, { id }: ReadEvent): boolean {
  return (request.get('feed-event-id') ?? id) !== id
}
