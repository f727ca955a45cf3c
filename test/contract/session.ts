import type { ReceiverOptions } from '@feed-receiver/core'
import type { SignDeliveryOptions } from '@feed-receiver/core/testing'
import type { Wire, WireResponse } from './wire.ts'

export interface TestRequest {
  method?: string
  headers: Record<string, string>
  body?: Uint8Array
}

/** Options of a receiver that can be told to another process. */
export type Limits = Partial<
  Pick<ReceiverOptions, 'deadlineMs' | 'maxUnfinishedBodies' | 'statuses'>
>

/** What an inbox got since a test began. */
export interface Holdings {
  stored: number
  /** Why, for each delivery in quarantine. */
  quarantined: string[]
}

export const nothing: Holdings = { stored: 0, quarantined: [] }

/** A receiver that is mounted for one test, in this process or in another one. */
export interface Session {
  send(request: TestRequest): Promise<WireResponse>
  /** Signs and sends one delivery. */
  deliver(event: object | Uint8Array, options?: Partial<SignDeliveryOptions>): Promise<WireResponse>
  holds(): Promise<Holdings>
  /** Stops the receiver, which resolves once nothing is in flight. */
  stop(): Promise<void>
}

/** The same on a real socket, to which a test may say exactly the bytes it means. */
export interface SocketSession extends Session {
  port: number
  wire(): Promise<Wire>
}

export type Open = (limits?: Limits) => Promise<Session>

export type OpenSocket = (limits?: Limits) => Promise<SocketSession>

/** What the server below a receiver does by itself; all of them, unless a test says otherwise. */
export interface ServerTraits {
  /** It closes the connection after an answer that has `Connection: close`, read or not. */
  closesEarly?: boolean
  /** It takes requests that come before the answer to the last one. */
  pipelines?: boolean
  /** It refuses 20 KB of headers. */
  limitsHeaders?: boolean
  /** What it answers to a Host that is no host, or to some; 202 where it leaves that to the receiver. */
  badHostStatus?: number | Record<string, number>
}
