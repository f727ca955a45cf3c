import { type FeedEvent } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { createSender, fixture, type AttemptRecord } from '@feed-receiver/sender'
import type { App } from './app.ts'
import type { Board } from './board.ts'

/** Sends deliveries that should never arrive: forged, late, or with a future schema. */
export async function deliverBadOnes(app: App, secret: string, board: Board): Promise<void> {
  const attempt = async (event: FeedEvent, sender = createSender({ secret }), headers = {}) => {
    const body = Buffer.from(JSON.stringify(event))
    const { status, cause }: AttemptRecord = await sender.attempt(body, { to: app.url, headers })
    board.answer(event.id, event.type, status ?? cause)
    await sender.close()
  }

  const genuine = Buffer.from(JSON.stringify(namedEvent('changed_byte')).replace('1', '2'))
  const { headers } = signDelivery(genuine, { secret })
  await attempt(namedEvent('changed_byte'), createSender({ secret }), headers)

  await attempt(namedEvent('wrong_secret'), createSender({ secret: `${secret}x` }))

  await attempt(namedEvent('late'), createSender({ secret, signingClock: twentyMinutesAgo }))

  await attempt(Object.assign(namedEvent('schema_2'), { schema_version: '2.0' }))
}

function twentyMinutesAgo(): number {
  return Date.now() - 20 * 60_000
}

function namedEvent(name: string): FeedEvent {
  return fixture('release_note', { id: `evt_tour_${name}` })
}
