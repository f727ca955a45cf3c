import { checkTarget } from '@feed-receiver/sender/internal'
import { createSender } from '@feed-receiver/sender'
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
])('names options of a command after %s', async (_, run, fix) => {
  await using sender = createSender({ secret: 'feed_whsec_Zm9yIHRlc3RzIG9ubHk' })
  const error: unknown = await run((body, options) => sender.attempt(body, options)).catch(
    (reason: unknown) => reason,
  )
  const { message, exitCode } = describeError(error, signal)
  expect(message).toMatch(fix)
  expect(message).not.toMatch(/allowLocal|`/)
  expect(exitCode).toBe(2)
})

it('does not blame the command line for a RangeError of the program', () => {
  const recurse = (): never => recurse()
  let thrown: unknown
  try {
    recurse()
  } catch (error) {
    thrown = error
  }
  expect(describeError(thrown, signal)).toMatchObject({ code: 'unexpected', exitCode: 1 })
})

type Send = (body: Uint8Array, options: { to: string; id?: string }) => Promise<unknown>
