import { createSender, fixture } from '@feed-receiver/sender'
import { virtualClock } from '@feed-receiver/sender/testing'

const [type = 'outage_started', to = 'http://localhost:3000/webhooks/feed'] = process.argv.slice(2)

const sender = createSender({
  secret: process.env.FEED_SIGNING_SECRET ?? '',
  clock: virtualClock({ autoAdvance: true }), // skips an hour of retries
})

const outcome = await sender.deliver(fixture(type), {
  to,
  onAttempt: ({ attempt, status, cause, nextDelayMs }) => {
    console.log(attempt, status, cause, nextDelayMs)
  },
})

console.log(outcome.result) // delivered, paused, exhausted, test_failed or aborted
await sender.close()
