import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './feed-handlers.js'

const { env } = process
// Without the byte order mark of some editors, which would become part of the first name.
const envFile = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\uFEFF/, '') : ''
// Existing environment variables take precedence over the file.
Object.assign(env, parseEnv(envFile), { ...env })
const { DATABASE_URL: url } = env
/** Unset or empty: embedded, in ./.feed-receiver. Importing this file opens nothing. */
export const inbox = createInbox({ database: url === '' ? undefined : url })
const receiver = createReceiver({
  secrets: secretsFromEnv(env),
  inbox: {
    ...inbox,
    async accept(delivery) {
      startFeed() // for an app that did not; the delivery waits for it up to its deadline
      return await inbox.accept(delivery)
    },
  },
})

let isStarted = false
let isStopping = false
let retry: NodeJS.Timeout | undefined

/** Mount it before every body parser, because the signature covers the raw body. */
export const feedRoute = toExpress(receiver)

/** Starts the inbox and its handlers. Call it where the app listens, which tests do not run. */
export function startFeed() {
  if (isStarted) return
  isStarted = true
  process.prependOnceListener('SIGTERM', stopAndExit)
  process.prependOnceListener('SIGINT', stopAndExit)
  startInbox()
}

// Until it has started, the receiver answers 503, and the service retries the deliveries.
function startInbox() {
  inbox
    .start()
    .then(() => inbox.work(handlers))
    .catch((error: unknown) => {
      if (isStopping) return
      console.error('The inbox of the feed could not start. Retrying in 5 s.', error)
      retry = setTimeout(startInbox, 5_000)
    })
}

/** For tests: retries failing events now, and not only after their backoff. */
export async function retryNow() {
  await inbox.entries.retry({ filter: { state: 'failing' } })
}

/** Stops the receiver and the inbox, and does not exit: for tests, or a shutdown of your own. */
export async function stopFeed() {
  isStopping = true
  clearTimeout(retry)
  await receiver.stop()
  await inbox.stop()
}

function stopAndExit() {
  // Our listeners stop Node from exiting by default, so exit here, unless the app has its own.
  const isAlone = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') === 1
  stopFeed()
    .then(() => setTimeout(() => process.exit(), isAlone ? 0 : 10_000).unref())
    .catch((error: unknown) => {
      console.error('The feed could not stop.', error)
      process.exit(1)
    })
}
