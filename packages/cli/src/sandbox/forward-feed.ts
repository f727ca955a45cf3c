import { secretProblem } from '@feed-receiver/core'
import type { Control } from '@feed-receiver/sandbox'
import type { Context } from '../context.ts'
import { problem } from '../errors.ts'
import { secretName } from '../options/secret-options.ts'

/** The signing secret that the app has, of the environment or of ./.env; undefined for none. */
export function findSecret({ env, out }: Context): string | undefined {
  const secret = env[secretName] ?? ''
  if (secret === '') return undefined
  out.hide(secret)
  const wrong = secretProblem(secret)
  if (wrong === undefined) return secret
  throw problem('usage', 'bad_secret', { name: secretName, problem: wrong })
}

/** Has the feed delivered to an app: waits until its test is accepted, and says how that goes. */
export async function forwardFeed(
  control: Control,
  { url, secret }: { url: URL; secret: string | undefined },
  { out, signal }: Context,
): Promise<void> {
  try {
    const { destination, tests, status } = await control.forwardTo({
      url: url.href,
      secret,
      signal,
      onCreated({ secret: made }) {
        if (secret !== undefined || made === null) return
        out.reveal({
          line: `\nPut this line into the .env of your app, and start it again:\n\n  ${secretName}=${made}\n`,
          json: { type: 'secret', name: secretName, secret: made },
        })
      },
      onWaiting({ status: answered, errorCode, cause }) {
        out.result(
          { type: 'waiting', status: answered, cause, errorCode },
          `${describeFailure(answered, errorCode ?? cause)} The test is repeated until a 2xx.`,
        )
      },
    })
    const { id, address } = destination
    out.result(
      { type: 'live', destinationId: id, address, tests },
      status === null
        ? `Messages for ${address} are only shown on the control page. To post them: --send-chat.`
        : `${address} has answered the test with ${status}: the feed is live there.`,
    )
  } catch (error) {
    // Ended while it waited, which is no failure.
    if (!signal.aborted) throw error
  }
}

function describeFailure(status: number | null, why: string): string {
  if (status === 401) return `The app answers 401: ${secretName} is not the one that signs here.`
  if (status !== null) return `The app answers ${status}.`
  return why === 'ECONNREFUSED' ? 'Nothing listens there yet.' : `No answer comes (${why}).`
}
