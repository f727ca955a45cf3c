import { expect, it } from 'vitest'
import { feedIds } from '../../integration/feed-ids.ts'
import { openWorld, type Step } from './recovery-world.ts'

const minute = 60_000
const hour = 60 * minute
const patient = { timeout: 60_000, interval: 200 }

it('a feed stays complete after an outage, a pause and a kill at every step [R7, R119, R168]', async () => {
  const world = await openWorld()
  const { control, inbox, database, publish, pass } = world

  // Pull reads forty days of history: a head, and the pages after it.
  const ofPull: Step[] = ['committed', 'stored', 'fetched']
  for (const step of ofPull) {
    await world.startApp(step)
    await world.died()
  }
  await world.startApp()
  await expect.poll(keptIds, patient).toEqual(await feedIds(control))
  const history = (await feedIds(control)).length

  // Push begins, with duplicates, events out of order, and retries of accepted events.
  const { webhookUrl: url, secret } = world
  const { destination } = await control.forwardTo({ url, secret })
  const { id: destinationId } = destination
  for (const fault of ['duplicate', 'reorder'] as const) {
    await control.createDeliveryFault({ fault, destinationId })
  }
  await control.createDeliveryFault({ fault: 'lose_answer', destinationId, times: 4 })
  const ofPush: Step[] = ['received', 'accepted', 'handling', 'handled']
  for (const step of ofPush) {
    await world.startApp(step)
    await publish(4)
    await pass(minute)
    await world.died()
  }
  await world.startApp()
  await pass(hour)
  expect(await missedByPush()).toEqual([])

  // For three hours push cannot deliver. At first the app is down as well.
  await world.endApp()
  world.setPush(false)
  for (const step of ofPull) {
    await publish(4)
    await pass(40 * minute)
    await world.startApp(step)
    await world.died()
  }
  await world.startApp()
  await publish(4)
  await pass(hour)
  world.setPush(true)
  await publish(2)
  await pass(2 * hour)
  const lostInOutage = await missedByPush()
  expect(lostInOutage).toHaveLength(12)

  // An invalid signature pauses the destination until somebody tests it.
  await control.createDeliveryFault({ fault: 'wrong_secret', destinationId, times: 1 })
  await publish(1)
  await pass(minute)
  expect(await control.listDestinations()).toMatchObject([{ state: 'paused' }])
  await publish(3)
  await pass(3 * hour)
  await expect.poll(alerts, patient).toContain('probable_pause')
  await control.testDestination({ id: destinationId })
  await publish(3)
  await pass(2 * hour)

  const feed = await feedIds(control)
  expect(feed).toHaveLength(history + 4 * 4 + 4 * 4 + 2 + 4 + 3)
  await expect.poll(handledIds, patient).toEqual(feed)
  expect(await keptIds()).toEqual(feed)
  const missed = await missedByPush()
  expect(missed).toHaveLength(lostInOutage.length + 4)
  expect(await reportedGaps()).toEqual(missed)
  expect(await inbox.quarantined.list()).toMatchObject({ quarantined: [] })

  async function keptIds(): Promise<string[]> {
    const rows = await database.query<{ id: string }>(
      `select event_id as id from feed_inbox.entry where type <> 'destination_test'`,
    )
    return sortedIds(rows)
  }

  async function handledIds(): Promise<string[]> {
    return sortedIds(await database.query<{ id: string }>('select event_id as id from effect'))
  }

  /** The view of the service: events without a successful attempt. */
  async function missedByPush(): Promise<string[]> {
    const deliveries = await control.listDeliveries({ destinationId, limit: 1_000 })
    const detailed = await Promise.all(deliveries.map(({ id }) => control.findDelivery({ id })))
    const live = detailed.filter((one) => one?.kind === 'live')
    return live
      .filter((one) => !one?.attemptList.some(({ status }) => status === 200 || status === 202))
      .map((one) => one?.eventId ?? '')
      .toSorted()
  }

  async function reportedGaps(): Promise<string[]> {
    const { gaps } = await inbox.gaps.list({ limit: 500, asOf: world.now() })
    return gaps.map(({ eventId }) => eventId).toSorted()
  }

  async function alerts(): Promise<string[]> {
    const { rows } = await database.query<{ code: string }>('select code from alert')
    return rows.map(({ code }) => code)
  }
}, 240_000)

function sortedIds({ rows }: { rows: { id: string }[] }): string[] {
  return rows.map(({ id }) => id).toSorted()
}
