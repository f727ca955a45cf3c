/**
 * The members of an event that only the pull API has, unchanged, unknown ones included. Their
 * types are in `@feed-receiver/client`. An absent member means the same as null.
 */
export interface PullFacts {
  canonicalUrl?: string | null | undefined
  sourceUpdatedAt?: string | null | undefined
  /** The precision of `source_published_at`: a `date` is not a point in time. */
  sourcePublishedPrecision?: 'timestamp' | 'date' | (string & {}) | null | undefined
  sourceUpdatedPrecision?: 'timestamp' | 'date' | (string & {}) | null | undefined
  detectedVia?: string | null | undefined
  /** Set if the event was corrected; the content is the corrected one. */
  correctedAt?: string | null | undefined
  /** Set if the event was retracted; it stays listed. */
  retractedAt?: string | null | undefined
  incident?: PullIncident | null | undefined
}

/** The thread of an outage that an event belongs to. */
interface PullIncident {
  /** The id of the thread; never an event's id. */
  id: string
  /** The provider's own id, only where the source makes its disclosure safe. */
  sourceIncidentId?: string | null | undefined
  rootEventId: string
  phase: 'started' | 'updated' | 'resolved' | 'context' | (string & {})
  /** The position of this event in its thread. Order by it, and tolerate gaps. */
  sequence: number
  receiptCount: number
  status: string
  startedAt: string | null
  updatedAt: string | null
  resolvedAt: string | null
  root: PullIncidentStep
  /** On detailed reads only: the newest 100 steps. */
  timeline?: PullTimelineItem[] | null | undefined
  timelineTruncated?: boolean | null | undefined
}

interface PullIncidentStep {
  id: string
  title: string
  summary: string | null
  sourceUrl: string
  firstObservedAt: string
}

interface PullTimelineItem extends PullIncidentStep {
  eventType: string
  phase: PullIncident['phase']
  sequence: number
  sourcePublishedAt?: string | null | undefined
  status?: string | null | undefined
}
