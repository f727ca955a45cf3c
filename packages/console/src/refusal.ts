import { InboxError, type InboxErrorCode } from '@feed-receiver/inbox'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Why a call of the page is not answered with what it asked for. */
export class Refusal extends HTTPException {
  readonly code: string

  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(status, { message })
    this.code = code
  }
}

const statuses: Partial<Record<InboxErrorCode, ContentfulStatusCode>> = {
  bad_option: 400,
  not_quarantined: 404,
  unknown_event: 404,
  content_pruned: 409,
  already_settled: 409,
  still_unreadable: 409,
  id_conflict: 409,
  unknown_type: 400,
  already_paused: 409,
  not_paused: 409,
}

/**
 * Makes an answer of whatever was thrown. What we did not expect may hold anything, and stays here;
 * its status is 500 or more, and somebody should hear of it.
 */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof InboxError) {
    const status = statuses[error.code]
    if (status !== undefined) return new Refusal(status, error.code, forPage(error))
    if (error.code === 'not_running') {
      return new Refusal(503, 'not_running', 'The inbox is not running in this process.')
    }
  }
  return new Refusal(500, 'failed', 'That failed; the log of the app says why.')
}

/** Errors of the inbox speak to code; the page has a tick where code has an option. */
function forPage({ code, message }: InboxError): string {
  return code === 'unknown_type' ? message.replace('add force', 'tick “Force”') : message
}
