export { apiEventSchema, confirmationStates } from '../event/api-event.ts'
export type { ApiEvent, PullFacts } from '../event/api-event.ts'
export { toFeedEvent } from './to-feed-event.ts'
export { incidentPhases, incidentSchema, timelineItemSchema } from '../event/incident.ts'
export type { Incident, IncidentPhase, IncidentRoot, TimelineItem } from '../event/incident.ts'
export { readSourceTime, sourcePrecisions } from '../event/source-time.ts'
export type { SourceTime } from '../event/source-time.ts'

export {
  accountEventSchema,
  accountEventTypes,
  accountSubjectTypes,
  eventRefPattern,
  integrityStates,
} from './account-event.ts'
export type { AccountEvent, AccountEventType, AccountSubjectType } from './account-event.ts'

export { usageSchema } from './usage.ts'
export type { Usage } from './usage.ts'
export { apiErrorSchema } from './error.ts'
export type { ApiError } from './error.ts'

export {
  accountEventAnswerSchema,
  accountEventContract,
  accountEventPageSchema,
  accountEventsContract,
  eventPageSchema,
} from './pages.ts'
export type { AccountEventAnswer, AccountEventPage, EventPage } from './pages.ts'

export { deprecationSchema, modelCheckSchema } from './lifecycle.ts'
export type { Deprecation, ModelCheck, ModelCheckEvent, ModelLifecycle } from './lifecycle.ts'
