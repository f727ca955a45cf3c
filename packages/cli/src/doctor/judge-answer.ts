import type { AttemptRecord } from '@feed-receiver/sender'
import { adviseOnAttempt } from '../describe-attempt.ts'
import { failed, ok, type Finding } from './finding.ts'

/** Judges the answer to a test delivery that is as it must be. */
export function judgeAnswer(record: AttemptRecord): Finding {
  const { result, status, error, responseBody = '' } = record
  if (result === 'accepted')
    return ok('answer', `A signed test delivery is answered ${status ?? '2xx'}.`)
  const seen =
    status === null ? `got no answer (${error?.code ?? 'unknown'})` : `is answered ${status}`
  const next = result === 'pause' ? ', which pauses the destination' : ''
  return failed(
    'answer',
    `A signed test delivery ${seen}${next}.`,
    adviceByCode(responseBody) ?? adviseOnAttempt(record) ?? 'See what answers there.',
  )
}

/** By the code in the answer of a receiver of this kit. */
function adviceByCode(responseBody: string): string | undefined {
  const [, code = ''] = /"code":"(\w+)"/.exec(responseBody) ?? []
  return Object.hasOwn(advice, code) ? advice[code] : undefined
}

const advice: Record<string, string> = {
  body_already_read:
    'A body parser comes before the receiver: mount the receiver first, or give the parser keepRawBody.',
  signature_mismatch:
    'The app has another secret, or other bytes: compare the fingerprints, and mount it before parsers.',
  outside_window: 'The clock of the app is wrong: set it by NTP.',
  secrets_unavailable: 'The app has no secret: set FEED_SIGNING_SECRET where it runs.',
  store_failed: 'The app cannot store: see to its database.',
  store_timeout: 'The app stores too slowly: see to its database.',
  shutting_down: 'The app is shutting down: look again when it runs.',
}
