import { expect, it } from 'vitest'
import { fixOfAttempt } from './describe-attempt.ts'

const own = (code: string) => JSON.stringify({ error: 'A text.', code })

it.each<[number, string | undefined, RegExp]>([
  [401, own('signature_mismatch'), /current signing secret.*`feed-receiver explain`/],
  [401, own('signature_missing'), /drops the Feed-Signature header/],
  [401, own('signature_malformed'), /rewrites the Feed-Signature header/],
  [401, own('a_code_of_another_program'), /^Something in front of the receiver did not let/],
  [401, '<h1>Log in</h1>', /^Something in front of the receiver did not let the request in/],
  [401, undefined, /^Something in front of the receiver did not let the request in/],
  [503, own('store_failed'), /Check that the database runs/],
  [503, 'upstream unavailable', /^The receiver failed/],
])('names the fix by who answered: %i with the body %s', (status, responseBody, fix) => {
  expect(fixOfAttempt({ status, cause: 'server_error', responseBody })).toMatch(fix)
})
