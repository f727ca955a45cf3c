import { existsSync, readFileSync } from 'node:fs'
import { env, stderr } from 'node:process'
import { inspect, parseEnv } from 'node:util'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './feed-handlers.js'

// Without the byte order mark of some editors, which would become part of the first name.
const envFile = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\uFEFF/, '') : ''
// Existing environment variables take precedence over the file.
Object.assign(env, parseEnv(envFile), { ...env })
const { DATABASE_URL: url } = env
/** Unset or empty: embedded, in ./.feed-receiver. Importing this file opens nothing. */
export const inbox = createInbox({ ...(url && { database: url }) })

let isFeedStarted = false
let isInboxStarted = false
let isStopping = false
let retry: ReturnType<typeof setTimeout> | undefined

// Until it has started, the receiver answers 503, and the service retries the deliveries.
function startInbox() {
  if (isInboxStarted || isStopping) return
  clearTimeout(retry)
  isInboxStarted = true
  inbox
    .start()
    .then(() => inbox.work(handlers))
    .catch((error: unknown) => {
      if (isStopping) return
      stderr.write(
        `The inbox of the feed could not start with its database (DATABASE_URL, or .feed-receiver if unset). Retrying in 5 s. ${inspect(error)}\n`,
      )
      isInboxStarted = false
      retry = setTimeout(startInbox, 5000)
    })
}

const receiver = createReceiver({
  // A function, so that an import does not need the secret. startFeed checks it.
  secrets: () => secretsFromEnv(env),
  inbox: {
    ...inbox,
    accept(delivery) {
      // For an app that called no startFeed. The delivery waits for it up to its deadline.
      startInbox()
      return inbox.accept(delivery)
    },
  },
})

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
    .then(() => setTimeout(() => global.process.exit(), isAlone ? 0 : 10 * 1000).unref())
    .catch((error: unknown) => {
      stderr.write(`The feed could not stop. ${inspect(error)}\n`)
      global.process.exit(1)
    })
}

/**
 * Starts the inbox and its handlers. Call it where the app listens, which tests do not run. Throws
 * if the signing secret is missing or invalid.
 */
export function startFeed() {
  if (isFeedStarted || isStopping) return
  // Only to check the secret now.
  createReceiver({ secrets: secretsFromEnv(env), inbox })
  isFeedStarted = true
  process.prependOnceListener('SIGTERM', stopAndExit)
  process.prependOnceListener('SIGINT', stopAndExit)
  startInbox()
}

/** Mount it before every body parser, login and CSRF check, because it verifies the raw body. */
export const feedRoute = toExpress(receiver)
