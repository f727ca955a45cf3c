import { InboxError, type InboxErrorCode } from '@feed-receiver/inbox'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Why a call of the page is not answered with what it asked for. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: ContentfulStatusCode
  readonly code: string
  /** Whether it is a fault of ours, which somebody should hear of. */
  readonly isFault: boolean

  constructor(status: ContentfulStatusCode, code: string, message: string, isFault = false) {
    super(message)
    this.status = status
    this.code = code
    this.isFault = isFault
  }
}

const statuses: Partial<Record<InboxErrorCode, ContentfulStatusCode>> = {
  bad_option: 400,
  not_quarantined: 404,
  already_settled: 409,
  still_unreadable: 409,
  id_conflict: 409,
}

/** Makes an answer of whatever was thrown. What we did not expect may hold anything, and stays here. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof InboxError) {
    const status = statuses[error.code]
    if (status !== undefined) return new Refusal(status, error.code, error.message)
    if (error.code === 'not_running') {
      return new Refusal(503, 'not_running', 'The inbox is not running in this process.', true)
    }
  }
  return new Refusal(500, 'failed', 'That failed; the log of the app says why.', true)
}
