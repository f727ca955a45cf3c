import type { FeedEvent } from '@feed-receiver/core'
import type { Usage } from '@feed-receiver/core/api'
import type { Client } from '../create-client.ts'
import type { ClientErrorCode } from '../errors.ts'
import type { EventFilter } from '../events.ts'
import type { GivenAnswer } from './remember-answers.ts'
import type { UnreadableItem } from '../read-page.ts'

export interface PollerOptions {
  /** Whose clock decides when to poll, too. */
  client: Client
  /** Where events go: that of the receiver, so that push and pull dedupe each other. */
  inbox: PollInbox
  /**
   * What to read. Another filter is another stream, with a cursor of its own.
   * @default everything that is confirmed
   */
  filter?: EventFilter | undefined
  /**
   * Names the account, whatever its key is: another one has other cursors.
   * @default 'default'
   */
  account?: string | undefined
  /**
   * Whether your delivery rules push an event. The rules cannot be read from the service, so without
   * this nothing that only pull brings can be called missed.
   * @default nobody knows
   */
  expects?: ((event: FeedEvent) => boolean) | undefined
  /**
   * How long to wait where there is nothing more, in milliseconds; longer where the month's allowance
   * would not last.
   * @default 60_000
   */
  intervalMs?: number | undefined
  /**
   * How often to read the head of the feed again, in milliseconds; `Infinity` for never. It finds the
   * changes that did not come up behind the cursor.
   * @default 3_600_000
   */
  sweepIntervalMs?: number | undefined
  /**
   * How often to try again what a person has to put right, such as a lapsed Pro access, in
   * milliseconds; `Infinity` for never.
   * @default 3_600_000
   */
  probeIntervalMs?: number | undefined
  /**
   * How long the lease of a stream outlives a killed process, in milliseconds of real time.
   * @default 30_000
   */
  leaseMs?: number | undefined
  /**
   * The answer that the receiver gave last: `last` of `rememberAnswers()`. An alert about a probable
   * pause names it.
   * @default nobody knows
   */
  lastAnswer?: (() => GivenAnswer | null) | undefined
  /**
   * Told of what a person should know; the same thing once, until it is over.
   * @default process.emitWarning
   */
  onAlert?: ((alert: PollAlert) => void) | undefined
  /**
   * Told of what fails in the background and is tried again, such as a database that is away.
   * @default process.emitWarning
   */
  onError?: ((error: unknown) => void) | undefined
}

export type PollAlertCode =
  | ClientErrorCode
  /** The service did not take the cursor any more; reading began again from the newest events. */
  | 'cursor_lost'
  /** Something on a page is no event, and is in quarantine. */
  | 'unreadable_events'
  /** Pull brings what the rules should have pushed, and push is silent. */
  | 'probable_pause'

/** What a person should know, and what to do about it. */
export interface PollAlert {
  code: PollAlertCode
  message: string
}

/** What a poller needs of an inbox: that of `@feed-receiver/inbox`, or anything of this shape. */
export interface PollInbox {
  /** Stores events, oldest first, and how far the stream has been read, both or neither. */
  acceptPage(
    events: readonly FeedEvent[],
    progress: PageProgress,
  ): Promise<{ stored: number; revised: number }>
  /**
   * Prepares the array that `acceptPage` gets next, without the database. The poller calls it while
   * `acceptPage` stores the page before.
   * @default acceptPage does all the work
   */
  preparePage?(events: readonly FeedEvent[]): void
  readonly streams: {
    /** Takes or keeps the lease of a stream; null while another process has it. */
    take(
      stream: string,
      options: { holder: string; leaseMs: number; at: Date },
    ): Promise<PollStream | null>
    /** Keeps why a stream waits, for whoever goes on with it; false where the lease is lost. */
    note(
      stream: string,
      holder: string,
      note: { phase: 'waiting' | 'suspended'; code: string; waitUntil: Date | null },
    ): Promise<boolean>
    release(stream: string, holder: string): Promise<void>
  }
  readonly gaps: {
    count(options: { asOf: Date }): Promise<{ probablePause: ProbablePause | null }>
  }
}

export interface PageProgress {
  stream: string
  holder: string
  at: Date
  /** Where to go on; without one the stored cursor stays. */
  cursor?: string | null
  hasMore?: boolean
  isSweep?: boolean
  gapCode?: string
  usage?: Usage | null
  expects?: ((event: FeedEvent) => boolean) | undefined
  unreadable?: readonly UnreadableItem[]
}

export interface PollStream {
  cursor: string | null
  phase: string
  code: string | null
  /** ISO 8601, as the other times. */
  waitUntil: string | null
  startedAt: string
  sweptAt: string | null
  latestTestId: number | null
}

export interface ProbablePause {
  missed: { count: number; isExact: boolean }
  lastPushAt: string | null
}
