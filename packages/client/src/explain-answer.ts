import { apiErrorSchema } from '@feed-receiver/core/api'
import { ClientError, type ClientErrorCode } from './errors.ts'
import type { Answer } from './send.ts'

/** Makes the error for an answer that no second try would better. */
export function explainAnswer({ status, body }: Answer, path: string, key: string): ClientError {
  const { data } = apiErrorSchema.safeParse(body)
  const [code, advice] = advices.get(status) ?? [
    'unexpected_answer',
    'Is baseUrl the address of the service, and does it need no redirect?',
  ]
  const serviceCode = data?.code.replaceAll(key, '[key]')
  const said = serviceCode === undefined ? `${status}` : `${status} ${cleanCode(serviceCode)}`
  return new ClientError(code, `The service answered ${path} with ${said}. ${advice}`, {
    status,
    serviceCode,
  })
}

const advices = new Map<number, [ClientErrorCode, string]>([
  [400, ['invalid_request', 'Correct the filter, or begin again without the cursor.']],
  [401, ['unauthorized', 'Replace the key: it is missing, malformed, revoked or unknown.']],
  [403, ['forbidden', 'Restore Pro access of the account, or stop asking.']],
  [404, ['not_found', 'There is no such event, or account events are not enabled.']],
])

// It comes from outside, and goes into a log line.
function cleanCode(code: string): string {
  return code.replaceAll(/[^\w.-]/g, '').slice(0, 64)
}
