import { InboxError } from '@feed-receiver/inbox'
import { checkTarget, createSender } from '@feed-receiver/sender'
import { expect, it } from 'vitest'
import { describeError } from './describe-error.ts'

const { signal } = new AbortController()
const to = 'http://127.0.0.1:9/'

it.each([
  ['bytes without an id', (send: Send) => send(Buffer.from('no JSON'), { to }), /--id <id>/],
  [
    'an id that no header carries',
    (send: Send) => send(Buffer.from('{}'), { to, id: '\u4e00' }),
    /--id <id>/,
  ],
  [
    'credentials',
    (send: Send) => send(Buffer.from('{}'), { to: 'http://u:p@a.example/' }),
    /credentials/,
  ],
  ['a local target', async () => checkTarget('https://localhost/'), /receiver/],
])('advises of %s what a command line has', async (_, run, advice) => {
  await using sender = createSender({ secret: 'feed_whsec_Zm9yIHRlc3RzIG9ubHk' })
  const error: unknown = await run((body, options) => sender.attempt(body, options)).catch(
    (reason: unknown) => reason,
  )
  const { message, exitCode } = describeError(error, signal)
  expect(message).toMatch(advice)
  expect(message).not.toMatch(/allowLocal|`/)
  expect(exitCode).toBe(2)
})

it('advises to start the app where tables are missing', () => {
  const error = new InboxError(
    'not_migrated',
    'The schema x lacks 0001, and this inbox may not migrate. Start without migrate: false.',
  )
  expect(describeError(error, signal)).toMatchObject({
    code: 'not_migrated',
    message:
      'The schema x lacks 0001. Start the app once with this version, which brings its tables up to date.',
  })
})

it('advises to force an unknown type as a command does', () => {
  const error = new InboxError(
    'unknown_type',
    'No such type. Correct it, or add force to pause it.',
  )
  expect(describeError(error, signal).message).toMatch(/or add --force to pause it\.$/)
})

type Send = (body: Uint8Array, options: { to: string; id?: string }) => Promise<unknown>
