import { inbox } from './feed.ts'

/** A second function, which a schedule of EventBridge invokes every minute. */
export async function handler() {
  return await inbox.drain(
    { outage_started: (event) => console.log(`Outage: ${event.data.title}`) },
    { forMs: 20_000 },
  )
}
