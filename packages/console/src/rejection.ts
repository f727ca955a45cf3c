import { InboxError, type InboxErrorCode } from '@feed-receiver/inbox'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The reason why a call is rejected. */
export class Rejection extends HTTPException {
  readonly code: string

  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(status, { message })
    this.code = code
  }
}

const statuses: Partial<Record<InboxErrorCode, ContentfulStatusCode>> = {
  bad_option: 400,
  not_quarantined: 404,
  already_resolved: 409,
  still_unreadable: 409,
  id_conflict: 409,
  unknown_type: 400,
  already_paused: 409,
  not_paused: 409,
  not_running: 503,
}

/**
 * Converts any thrown value to a response. The text of an unexpected error may contain anything, so
 * it is not sent. Such a response has status 500 or more, and should be logged.
 */
export function toRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  if (error instanceof InboxError) {
    const status = statuses[error.code]
    if (status !== undefined) return new Rejection(status, error.code, forPage(error))
  }
  return new Rejection(500, 'failed', 'The request failed. The log of the app has the reason.')
}

/** Messages of the inbox name options and functions, which the page does not have. */
function forPage({ code, message }: InboxError): string {
  if (code === 'not_running') return 'The inbox is not running in this process. Start it.'
  return code === 'unknown_type' ? message.replace('set force', 'tick “Force”') : message
}
