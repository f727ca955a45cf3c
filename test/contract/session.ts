import type { ReceiverOptions } from '@feed-receiver/core'
import type { SignDeliveryOptions } from '@feed-receiver/core/testing'
import type { Wire, WireResponse } from './wire.ts'

export interface TestRequest {
  method?: string
  headers: Record<string, string>
  body?: Uint8Array
}

/** Receiver options that can be sent to another process. */
export type Limits = Partial<
  Pick<ReceiverOptions, 'deadlineMs' | 'maxUnfinishedBodies' | 'statuses'>
>

/** The contents of an inbox since the test began. */
export interface Holdings {
  stored: number
  /** The reason of each quarantined delivery. */
  quarantined: string[]
}

export const nothing: Holdings = { stored: 0, quarantined: [] }

/** A receiver mounted for one test, in this process or another one. */
export interface Session {
  send(request: TestRequest): Promise<WireResponse>
  /** Signs and sends one delivery. */
  deliver(event: object | Uint8Array, options?: Partial<SignDeliveryOptions>): Promise<WireResponse>
  holds(): Promise<Holdings>
  /** Stops the receiver, and resolves once nothing is in flight. */
  stop(): Promise<void>
}

/** The same on a real socket, to which a test can send exact bytes. */
export interface SocketSession extends Session {
  port: number
  wire(): Promise<Wire>
}

export type Open = (limits?: Limits) => Promise<Session>

export type OpenSocket = (limits?: Limits) => Promise<SocketSession>

/** Features of the server below a receiver. All are on by default. */
export interface ServerTraits {
  /**
   * Closes the connection after a response with `Connection: close`, even if the body was not read.
   */
  closesEarly?: boolean
  /** Accepts requests before the response to the previous one. */
  pipelines?: boolean
  /** Passes requests of any method to the receiver. */
  passesMethods?: boolean
  /** Passes bodies of 4 MiB to the receiver whole. */
  passesLargeBodies?: boolean
  /** Rejects 20 KB of headers. */
  limitsHeaders?: boolean
  /** The status for an invalid Host, or by Host. 202 if the server passes it to the receiver. */
  badHostStatus?: number | Record<string, number>
}
