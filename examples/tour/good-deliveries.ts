import type { Control } from '@feed-receiver/sandbox'
import { fixtures } from '@feed-receiver/sender'
import type { App } from './app.ts'
import type { Journal } from './journal.ts'

/** Every type that can be published, and an unknown one. Test deliveries are not published. */
const types = fixtures.map(({ type }) => type).filter((type) => type !== 'destination_test')

/** How many deliveries of each kind the tour requests from the sandbox. */
export const asked = { tests: 1, published: types.length + 1, repeated: types.length }

/** Makes the sandbox test the app, publish an event of every type, and deliver each one again. */
export async function publishEverything(
  app: App,
  secret: string,
  control: Control,
  journal: Journal,
): Promise<void> {
  await control.forwardTo({ url: app.url, secret })
  for (const eventType of types) await control.composeEvent({ eventType })
  await journal.follow()

  const deliveries = await control.listDeliveries()
  const live = deliveries.filter(({ kind }) => kind === 'live')
  for (const { id } of live.toReversed()) await control.resendDelivery({ id })
  await journal.follow()
}

/**
 * The first two attempts fail, because the inbox is down. Moving the sandbox's clock skips the
 * waits.
 */
export async function publishThroughOutage(
  app: App,
  control: Control,
  journal: Journal,
): Promise<void> {
  await app.inbox.stop()
  const { id } = await control.composeEvent({ eventType: 'release_note', id: 'evt_tour_outage' })
  await journal.follow()
  await passTheWait(control, id)
  await journal.follow()
  await app.open()
  await passTheWait(control, id)
  await journal.follow()
}

async function passTheWait(control: Control, eventId: string): Promise<void> {
  const [delivery] = await control.listDeliveries({ eventId })
  // No attempt will follow, and the counts will show that.
  if (!delivery?.nextAttemptAt) return
  const { now } = await control.readClock()
  const byMs = Math.max(0, delivery.nextAttemptAt.getTime() - now.getTime())
  await control.moveClock({ to: 'advance', byMs })
}
