import { feed } from './feed'

export async function startFeed() {
  try {
    await feed.inbox.start()
    await feed.inbox.work({
      outage_started: (event) =>
        console.log(`Outage: ${event.data.title} (${event.data.source_url})`),
    })
  } catch (error) {
    // Next would go on without it, and answer every request with 500 until it is restarted.
    console.error(error)
    process.exit(1)
  }
  process.once('SIGTERM', () => void stop())
}

async function stop() {
  await feed.receiver.stop()
  await feed.inbox.stop()
  process.exit()
}
