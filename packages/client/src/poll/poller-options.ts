import type { FeedEvent } from '@feed-receiver/core'
import type { Usage } from '../api/index.ts'
import type { Client } from '../create-client.ts'
import type { ClientErrorCode } from '../errors.ts'
import type { EventFilter } from '../events.ts'
import type { GivenAnswer } from './remember-answers.ts'
import type { UnreadableItem } from '../read-page.ts'

export interface PollerOptions {
  /** The client that reads the API; its clock also schedules the polls. */
  client: Client
  /** The inbox of the receiver, so that push and pull deduplicate each other's events. */
  inbox: PollInbox
  /**
   * Which events to read. Another filter is another stream, with its own cursor.
   * @default all confirmed events
   */
  filter?: EventFilter | undefined
  /**
   * A name for the account, independent of its key: each account has its own cursors.
   * @default 'default'
   */
  account?: string | undefined
  /**
   * Whether your delivery rules push an event. The service does not expose its rules. Without this
   * function, the poller cannot report an event that only pull returned as missed.
   * @default none
   */
  expects?: ((event: FeedEvent) => boolean) | undefined
  /**
   * The polling interval after the poller has caught up, in milliseconds, below 2 ** 31. It is
   * longer if the monthly quota would not last. If a scheduler calls `poll`, pass its interval: the
   * health warns when the next poll is an hour late.
   * @default 60_000
   */
  intervalMs?: number | undefined
  /**
   * How often to reread the newest events, in milliseconds; `Infinity` for never. That finds changed
   * events that do not appear after the cursor.
   * @default 3_600_000
   */
  rereadIntervalMs?: number | undefined
  /**
   * How often to probe a suspension that a person has to resolve, such as lapsed Pro access, in
   * milliseconds; `Infinity` for never.
   * @default 3_600_000
   */
  probeIntervalMs?: number | undefined
  /**
   * How long the lease of a stream survives a killed process, in milliseconds of real time,
   * below 2 ** 31.
   * @default 30_000
   */
  leaseMs?: number | undefined
  /**
   * Returns the receiver's last answer: `last` of `rememberAnswers()`. The alert about a probable
   * pause mentions it.
   * @default none
   */
  lastAnswer?: (() => GivenAnswer | null) | undefined
  /**
   * Called with alerts for a person. Each alert is sent once until its cause is over. If the call
   * throws or rejects, `onError` gets the error, and the next round that finds the cause sends the
   * alert again.
   * @default process.emitWarning
   */
  onAlert?: ((alert: PollAlert) => unknown) | undefined
  /**
   * Called with background errors that are retried, such as an unreachable database.
   * @default process.emitWarning, the same text at most once a minute
   */
  onError?: ((error: unknown) => unknown) | undefined
}

export type PollAlertCode =
  | ClientErrorCode
  /** The service rejected the cursor; reading started again from the newest events. */
  | 'cursor_lost'
  /** The monthly quota is used up, as the service says in an answer. */
  | 'quota_exhausted'
  /** A page has an item that cannot be read or stored as an event. It is in quarantine. */
  | 'unreadable_events'
  /** Pull returns events that your rules should have pushed, and no push arrives. */
  | 'probable_pause'

/** An alert for a person, with what to do about it. */
export interface PollAlert {
  code: PollAlertCode
  message: string
}

/** The inbox interface of a poller: the one of `@feed-receiver/inbox`, or your own. */
export interface PollInbox {
  /**
   * Stores events, oldest first, together with the stream's cursor, in one transaction. `quarantined`
   * counts the unreadable items, and the events that cannot be stored.
   */
  acceptPage(
    events: readonly FeedEvent[],
    progress: PageProgress,
  ): Promise<{ stored: number; revised: number; quarantined?: number }>
  readonly streams: {
    /** Takes or renews the lease of a stream; null while another process holds it. */
    take(
      stream: string,
      options: { holder: string; leaseMs: number; at: Date },
    ): Promise<PollStream | null>
    /** Stores why a stream waits, for the process that continues it; false if the lease is lost. */
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
  /** Where to continue; without a cursor the stored one stays. */
  cursor?: string | null
  hasMore?: boolean
  /** When the next poll is due; null if the next page is available now. */
  nextAt?: Date | null
  isReread?: boolean
  gapCode?: string
  usage?: Usage | null
  expects?: ((event: FeedEvent) => boolean) | undefined
  unreadable?: readonly UnreadableItem[]
}

export interface PollStream {
  cursor: string | null
  phase: string
  code: string | null
  /** ISO 8601, like the other times. */
  waitUntil: string | null
  startedAt: string
  rereadAt: string | null
  latestTestId: number | null
}

export interface ProbablePause {
  missed: { count: number; isExact: boolean }
  lastPushAt: string | null
}
