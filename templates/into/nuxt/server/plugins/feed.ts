import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from '../feed-handlers'

const { env } = process
// Without the byte order mark of some editors, which would become part of the first name.
const envFile = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\uFEFF/, '') : ''
// Existing environment variables take precedence over the file.
Object.assign(env, parseEnv(envFile), { ...env })
const { DATABASE_URL: url } = env
// Unset or empty: embedded, in ./.feed-receiver
const inbox = createInbox({ database: url === '' ? undefined : url })
// A function, because prerendering during the build runs this too, perhaps without secrets.
export const receiver = createReceiver({ secrets: () => secretsFromEnv(env), inbox })

export default defineNitroPlugin((nitro) => {
  if (import.meta.prerender) return
  let isStopping = false
  let retry: ReturnType<typeof setTimeout> | undefined
  startFeed()
  // In development also before each reload, so that the embedded database is not locked.
  nitro.hooks.hook('close', stopFeed)

  // Until it has started, the receiver answers 503, and the service retries the deliveries.
  function startFeed() {
    inbox
      .start()
      .then(() => inbox.work(handlers))
      .catch((error: unknown) => {
        if (isStopping) return
        console.error('The inbox of the feed could not start. Retrying in 5 s.', error)
        retry = setTimeout(startFeed, 5_000)
      })
  }

  async function stopFeed() {
    isStopping = true
    clearTimeout(retry)
    await receiver.stop()
    await inbox.stop()
  }
})
