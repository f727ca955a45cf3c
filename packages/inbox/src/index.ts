export { createInbox } from './create-inbox.ts'
export type { Inbox, InboxOptions, WorkOptions } from './create-inbox.ts'
export type { Handler, HandlerContext, Handlers } from './handlers.ts'
export type { DistributedBackend } from './queue.ts'

export { Permanent, RetryAfter } from './handler-errors.ts'
export { InboxError } from './errors.ts'
export type { InboxErrorCode } from './errors.ts'
