export { createClient, type Client } from './create-client.ts'
export type { ApiKey, ClientOptions } from './client-options.ts'
export type { EventFilter, EventsOptions } from './events.ts'
export type { AccountEventFilter, AccountEventsOptions } from './events.ts'
export type { RequestOptions } from './requester.ts'
export type { Page, Stream, UnreadableItem } from './read-page.ts'
export type { Allowance, LimitScope, RateLimit } from './rate-limit.ts'
export { ClientError, type ClientErrorCode, type ClientErrorDetails } from './errors.ts'

export type { CheckModelOptions, DeprecationsOptions, ListChangesOptions, McpTools } from './mcp.ts'

export { createPoller, type Poller } from './poll/create-poller.ts'
export type { PollAlert, PollAlertCode, PollerOptions } from './poll/poller-options.ts'
export type { PollRound } from './poll/poll-round.ts'
export type { PageProgress, PollInbox, PollStream, ProbablePause } from './poll/poller-options.ts'
export * from './poll/remember-answers.ts'

export type { AccountEvent, AccountEventType, AccountSubjectType, Usage } from './api/answers.ts'
export type { ApiEvent, Incident, IncidentPhase, IncidentRoot } from './api/api-event.ts'
export type { TimelineItem } from './api/api-event.ts'
export type { Deprecation, ModelCheck, ModelCheckEvent, ModelLifecycle } from './api/lifecycle.ts'
export { toFeedEvent } from './api/to-feed-event.ts'

export type { Clock } from '@feed-receiver/core/node'
