import type { Control } from '@feed-receiver/sandbox'
import type { Context } from '../context.ts'
import { secretName } from './find-secret.ts'

/** Has the feed delivered to an app: waits until its test is accepted, and says how that goes. */
export async function forwardFeed(
  control: Control,
  { url, secret }: { url: URL; secret: string | undefined },
  context: Context,
): Promise<void> {
  const { out, signal } = context
  try {
    const {
      destination,
      tests,
      status: answered,
    } = await control.forwardTo({
      url: url.href,
      secret,
      signal,
      onCreated: (created) => {
        if (secret === undefined && created.secret !== null) showSecret(created.secret, context)
      },
      onWaiting: ({ status, errorCode, cause }) => {
        out.json({ type: 'waiting', status, cause, errorCode })
        out.line(`${describeFailure(status, errorCode ?? cause)} The test is repeated until a 2xx.`)
      },
    })
    out.json({ type: 'live', destinationId: destination.id, address: destination.address, tests })
    out.line(describeLive(destination.address, answered))
  } catch (error) {
    // Ended while it waited, which is no failure.
    if (!signal.aborted) throw error
  }
}

function showSecret(secret: string, { out }: Context): void {
  out.reveal({
    line: `\nPut this line into the .env of your app, and start it again:\n\n  ${secretName}=${secret}\n`,
    json: { type: 'secret', name: secretName, secret },
  })
}

function describeLive(address: string, status: number | null): string {
  if (status !== null)
    return `${address} has answered the test with ${status}: the feed is live there.`
  return `Messages for ${address} are only shown on the control page. To post them: --send-chat.`
}

function describeFailure(status: number | null, why: string): string {
  if (status === 401) return `The app answers 401: ${secretName} is not the one that signs here.`
  if (status !== null) return `The app answers ${status}.`
  return why === 'ECONNREFUSED' ? 'Nothing listens there yet.' : `No answer comes (${why}).`
}
