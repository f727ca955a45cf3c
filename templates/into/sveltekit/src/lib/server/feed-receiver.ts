import { existsSync, readFileSync } from 'node:fs'
import { env, stderr } from 'node:process'
import { inspect, parseEnv } from 'node:util'
import { createReceiver, secretsFromEnv, toFetch } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './feed-handlers'

function createFeed() {
  // Without the byte order mark of some editors, which would become part of the first name.
  const envFile = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\uFEFF/, '') : ''
  // Existing environment variables take precedence over the file.
  Object.assign(env, parseEnv(envFile), { ...env })
  const { DATABASE_URL: url } = env
  // Unset or empty: embedded, in ./.feed-receiver
  const inbox = createInbox({ ...(url && { database: url }) })
  // A function, because the build runs this too, perhaps without secrets.
  const receiver = createReceiver({ secrets: () => secretsFromEnv(env), inbox })
  let isStarted = false
  let isStopping = false
  let retry: ReturnType<typeof setTimeout> | undefined

  // Until it has started, the receiver answers 503, and the service retries the deliveries.
  function startInbox() {
    inbox
      .start()
      .then(() => inbox.work(handlers))
      .catch((error: unknown) => {
        if (isStopping) return
        stderr.write(`The inbox of the feed could not start. Retrying in 5 s. ${inspect(error)}\n`)
        retry = setTimeout(startInbox, 5000)
      })
  }

  /** For tests: retries failing events now, and not only after their backoff. */
  async function retryNow() {
    await inbox.entries.retry({ filter: { state: 'failing' } })
  }

  /** Stops the receiver and the inbox, and does not exit: for tests, or a shutdown of your own. */
  async function stopFeed() {
    isStopping = true
    clearTimeout(retry)
    await receiver.stop()
    await inbox.stop()
  }

  function stopAndExit() {
    // Our listeners stop Node from exiting by default, so exit here, unless the app has its own.
    const isAlone = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') === 1
    stopFeed()
      .then(() => setTimeout(() => global.process.exit(), isAlone ? 0 : 10 * 1000).unref())
      .catch((error: unknown) => {
        stderr.write(`The feed could not stop. ${inspect(error)}\n`)
        global.process.exit(1)
      })
  }

  /** Starts the inbox and its handlers once. */
  function startFeed() {
    if (isStarted || isStopping) return
    isStarted = true
    process.prependOnceListener('SIGTERM', stopAndExit)
    process.prependOnceListener('SIGINT', stopAndExit)
    startInbox()
  }

  return { inbox, receive: toFetch(receiver), startFeed, retryNow, stopFeed }
}

// The global object declares no such member.
const loaded = globalThis as { feedReceiver?: ReturnType<typeof createFeed> }

// In development Vite loads this file again after each change, but the feed must stay the same.
loaded.feedReceiver ??= createFeed()
/** Importing this file opens nothing. The first delivery starts the feed. */
export const { inbox, receive, startFeed, retryNow, stopFeed } = loaded.feedReceiver
