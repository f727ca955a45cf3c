import { existsSync } from 'node:fs'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from '../feed-handlers'

// What the environment says already goes before what the file says.
if (existsSync('.env')) process.loadEnvFile()
const { DATABASE_URL } = process.env

const inbox = createInbox({ database: DATABASE_URL || undefined }) // unset: embedded, in ./.feed-receiver
// A function, since the build runs this too where it renders pages, and there may be no secrets.
export const receiver = createReceiver({ secrets: () => secretsFromEnv(process.env), inbox })

export default defineNitroPlugin((nitro) => {
  if (import.meta.prerender) return
  let trying: NodeJS.Timeout | undefined
  void startFeed()
  // In development also before each reload, so that the next one finds the database free.
  nitro.hooks.hook('close', stopFeed)

  // Until it has started, deliveries are answered with 503, and come again.
  async function startFeed() {
    try {
      await inbox.start()
      await inbox.work(handlers)
    } catch (error) {
      console.error('The inbox of the feed has not started, and is tried again in 5 s.', error)
      trying = setTimeout(() => void startFeed(), 5_000)
    }
  }

  async function stopFeed() {
    clearTimeout(trying)
    await receiver.stop()
    await inbox.stop()
  }
})
