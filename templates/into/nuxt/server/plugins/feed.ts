import { existsSync } from 'node:fs'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from '../feed-handlers'

// Existing environment variables take precedence over the file.
if (existsSync('.env')) process.loadEnvFile()
const { DATABASE_URL } = process.env

const inbox = createInbox({ database: DATABASE_URL || undefined }) // unset: embedded, in ./.feed-receiver
// A function, because prerendering during the build runs this too, perhaps without secrets.
export const receiver = createReceiver({ secrets: () => secretsFromEnv(process.env), inbox })

export default defineNitroPlugin((nitro) => {
  if (import.meta.prerender) return
  let trying: NodeJS.Timeout | undefined
  void startFeed()
  // In development also before each reload, so that the embedded database is not locked.
  nitro.hooks.hook('close', stopFeed)

  // Until it has started, the receiver answers 503, and the service retries the deliveries.
  async function startFeed() {
    try {
      await inbox.start()
      await inbox.work(handlers)
    } catch (error) {
      console.error('The inbox of the feed could not start. Retrying in 5 s.', error)
      trying = setTimeout(() => void startFeed(), 5_000)
    }
  }

  async function stopFeed() {
    clearTimeout(trying)
    await receiver.stop()
    await inbox.stop()
  }
})
