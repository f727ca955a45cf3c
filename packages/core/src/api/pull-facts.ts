import type { ApiEvent } from './event.ts'

/** The members of the API's event that the envelope of a webhook has a place for. */
type Shared =
  | 'id'
  | 'providerSlug'
  | 'eventType'
  | 'category'
  | 'subjectType'
  | 'subjectKey'
  | 'title'
  | 'summary'
  | 'sourceUrl'
  | 'evidenceState'
  | 'confirmationState'
  | 'firstObservedAt'
  | 'sourcePublishedAt'
  | 'benchmark'

/** What only the pull API knows about an event, as it came; members that nobody knows included. */
export type PullFacts = Omit<ApiEvent, Shared>
