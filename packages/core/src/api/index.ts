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

export {
  accountEventAnswerSchema,
  accountEventContract,
  accountEventPageSchema,
  accountEventsContract,
  apiErrorSchema,
  eventPageSchema,
  usageSchema,
} from './answers.ts'
export type { AccountEventAnswer, AccountEventPage, ApiError, EventPage, Usage } from './answers.ts'

export { deprecationSchema, modelCheckSchema } from './lifecycle.ts'
export type { Deprecation, ModelCheck, ModelCheckEvent, ModelLifecycle } from './lifecycle.ts'
