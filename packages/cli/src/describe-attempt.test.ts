import { expect, it } from 'vitest'
import { adviseOnAttempt } from './describe-attempt.ts'

const own = (code: string) => JSON.stringify({ error: 'A text.', code })

it.each<[number, string | undefined, RegExp]>([
  [401, own('signature_mismatch'), /^The app has another secret .*Compare the secrets on both/],
  [401, own('signature_missing'), /drops the Feed-Signature header/],
  [401, own('signature_malformed'), /changes the Feed-Signature header/],
  [401, own('a_code_of_another_program'), /^Something in front of the receiver did not let/],
  [401, '<h1>Log in</h1>', /^Something in front of the receiver did not let the request in/],
  [401, undefined, /^Something in front of the receiver did not let the request in/],
  [503, own('store_failed'), /Check its database/],
  [503, 'upstream unavailable', /^The receiver failed/],
])('advises by who answered: %i with the body %s', (status, responseBody, advice) => {
  expect(adviseOnAttempt({ status, cause: 'server_error', responseBody })).toMatch(advice)
})
