import type { FeedEvent } from '@feed-receiver/core'
import type { Usage } from '@feed-receiver/core/api'
import type { UnreadableItem } from '../read-page.ts'

/** What a poller needs of an inbox: that of `@feed-receiver/inbox`, or anything of this shape. */
export interface PollInbox {
  /** Stores events, oldest first, and how far the stream has been read, both or neither. */
  acceptPage(
    events: readonly FeedEvent[],
    progress: PageProgress,
  ): Promise<{ stored: number; revised: number }>
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
