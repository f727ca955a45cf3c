import { afterStatus } from '@feed-receiver/core/internal'
/**
 * The effect of an answer on the delivery: `accepted` ends it, `pause` ends it and pauses the
 * destination, `retry` leads to another attempt until the retries are exhausted.
 */
export type AnswerResult = 'accepted' | 'pause' | 'retry'

/** Why an answer has that effect. */
export type AnswerCause =
  | 'accepted'
  | 'rejected'
  | 'rate_limited'
  | 'redirect'
  | 'unlisted_status'
  | 'server_error'
  | 'invalid_status'

export interface Classification {
  result: AnswerResult
  cause: AnswerCause
}

/**
 * Classifies the status of an answer to a live delivery. Only the seven statuses of the pause list
 * end a delivery unsuccessfully. Any other status outside 2xx counts as temporary and is retried,
 * including redirects and unlisted 4xx.
 */
export function classify(status: number): Classification {
  const result = afterStatus(status)
  if (result === 'accepted') return { result, cause: 'accepted' }
  if (result === 'pause') return { result, cause: 'rejected' }
  return { result, cause: retryCause(status) }
}

function retryCause(status: number): AnswerCause {
  if (status === 429) return 'rate_limited'
  if (status >= 300 && status <= 399) return 'redirect'
  if (status >= 400 && status <= 499) return 'unlisted_status'
  if (status >= 500 && status <= 599) return 'server_error'
  return 'invalid_status'
}
