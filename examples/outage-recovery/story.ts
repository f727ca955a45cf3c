/**
 * An app that is down for three hours, on a clock that the story moves. The service no longer
 * retries most events of that time, and the poller fetches them. Run it in an empty folder; it takes a
 * few seconds.
 */
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createSandbox } from '@feed-receiver/sandbox'
import { virtualClock } from '@feed-receiver/sender/testing'
import { startApp } from './start-app.ts'

const minute = 60_000
const secret = 'feed_whsec_of_the_outage_story'
const start = Date.parse('2026-12-01T09:00:00Z')
for (const name of ['app', 'sandbox']) {
  await rm(`.feed-receiver/outage-${name}`, { recursive: true, force: true })
}

const clock = virtualClock({ start })
const sandbox = createSandbox({
  database: { folder: '.feed-receiver/outage-sandbox' },
  port: 0,
  historyDays: 0,
})
await sandbox.start()
const { control } = sandbox
await control.moveClock({ to: 'freeze', at: new Date(start).toISOString() })
const { key: apiKey } = await control.createKey({ accountId: 'acct_sandbox', name: 'outage' })
const published: string[] = []
const handled: string[] = []
const onHandled = (eventId: string) => handled.push(eventId)
const options = { baseUrl: sandbox.url, apiKey, secret, clock, onHandled }

const app = await startApp({ ...options, port: 0 })
await control.forwardTo({ url: `http://127.0.0.1:${app.port}/webhooks/feed`, secret })
await publish(3)
await until(() => handled.length === published.length)
print(`The feed is live: ${handled.length} events were pushed and handled.`)

await app.stop()
print('The app is stopped.')
for (let hours = 0; hours < 3; hours += 1) {
  await publish(3)
  await pass(60 * minute)
}
await publish(1)
await until(hasSentAll)
const waiting = (await control.listDeliveries({ state: 'scheduled' })).length
const exhausted = (await control.listDeliveries({ state: 'exhausted' })).length
print(
  `10 events were published. Retries are exhausted for ${exhausted}; ${waiting} are still retried.`,
)

const again = await startApp({ ...options, port: app.port })
await until(() => handled.length === published.length)
print('The app is back, and the poller has stored the missing events.')
await pass(120 * minute)

const asOf = new Date(clock.now())
const { missed } = await again.inbox.gaps.count({ asOf })
const { gaps } = await again.inbox.gaps.list({ asOf })
print(`Push never delivered ${missed.count} of ${published.length} events:`)
for (const { title, pulledAt } of gaps) console.log(`        ${title} (pulled at ${pulledAt})`)
const isWhole = handled.toSorted().join() === published.toSorted().join()
print(
  isWhole
    ? `All ${handled.length} events were handled, each once.`
    : 'Some events were lost or handled twice.',
)
process.exitCode = isWhole ? 0 : 1
await again.stop()
await sandbox.stop()

async function publish(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) published.push((await control.composeEvent()).id)
}

/** Moves the clock of the service from one retry to the next, and that of the app with it. */
async function pass(ms: number): Promise<void> {
  const end = clock.now() + ms
  await until(hasSentAll)
  while (clock.now() < end) {
    const scheduled = await control.listDeliveries({ state: 'scheduled' })
    const next = Math.min(end, ...scheduled.map(({ nextAttemptAt }) => Number(nextAttemptAt)))
    await control.moveClock({ to: 'freeze', at: new Date(next).toISOString() })
    await clock.advance(next - clock.now())
    await until(hasSentAll)
  }
}

/**
 * Whether the service has sent everything that is due. Reads the scheduled deliveries first, so
 * that one that is claimed between the two calls shows up as in flight.
 */
async function hasSentAll(): Promise<boolean> {
  const scheduled = await control.listDeliveries({ state: 'scheduled' })
  const inFlight = await control.listDeliveries({ state: 'in_flight' })
  const isDue = scheduled.some(({ nextAttemptAt }) => Number(nextAttemptAt) <= clock.now())
  return inFlight.length === 0 && !isDue
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20)
}

function print(line: string): void {
  console.log(`${new Date(clock.now()).toISOString().slice(11, 16)}  ${line}`)
}
