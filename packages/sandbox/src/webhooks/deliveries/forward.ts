import { setTimeout as delay } from 'node:timers/promises'
import { firstAccount } from '../../accounts/accounts.ts'
import { parseInput } from '../../server/rejections.ts'
import { deleteDestination } from '../destinations/change-destination.ts'
import {
  createDestination,
  readTarget,
  type CreatedDestination,
} from '../destinations/create-destination.ts'
import type { Destination } from '../destinations/destinations.ts'
import { secretLabel, urlLabel } from '../../state/vault.ts'
import type { Context } from '../../server/context.ts'
import { testDestination, type TestResult } from './test-destination.ts'

export interface Forward {
  url: string
  /** The signing secret that the app already has. @default a new one, passed to `onCreated` */
  secret?: string | undefined
  /**
   * The app's earlier URL, or the id of its destination. This destination gets the new URL, and
   * keeps its pending deliveries.
   */
  movedFrom?: string | undefined
  /** @default the first account */
  accountId?: string | undefined
  /** Called with the destination, and with its secret if it was just created. */
  onCreated?: ((destination: CreatedDestination) => void) | undefined
  /**
   * Called with the result of a test that was not accepted. A repeated failure is reported once.
   */
  onWaiting?: ((result: TestResult) => void) | undefined
  /** Aborts the wait. */
  signal?: AbortSignal | undefined
}

export interface ForwardedTo {
  destination: Destination
  /** How many test deliveries were sent. */
  tests: number
  /**
   * The status of the app's response; null for a chat whose messages only appear in the journal.
   */
  status: number | null
}

/**
 * Delivers the feed to an app. Creates a destination, or reuses the one of an earlier run with the
 * same URL and secret and its pending deliveries. Then it repeats the test delivery until the app
 * answers 2xx. From then on the destination is live, and retries that wait because nothing listened
 * become due.
 *
 * @throws Rejection like `createDestination`, and the reason of the signal.
 */
export async function forwardTo(
  context: Context,
  { url, secret, movedFrom, accountId = firstAccount.id, onCreated, onWaiting, signal }: Forward,
): Promise<ForwardedTo> {
  if (movedFrom !== undefined) await move(context, accountId, { from: movedFrom, to: url })
  const earlier = await findEarlier(context, accountId, url)
  // oxlint-disable-next-line feed-receiver/constant-time -- the developer has both secrets
  const reused = earlier.find((one) => secret !== undefined && one.secret === secret)
  for (const one of earlier) if (one !== reused) await deleteDestination.run(context, one)
  const id = reused?.id ?? (await create())
  let lastFailure: string | undefined
  for (let tests = 1; ; tests += 1) {
    signal?.throwIfAborted()
    const result = await testDestination.run(context, { id })
    const { isAccepted, destination, status } = result
    if (isAccepted) {
      if (!context.strict) await retryUnreachable(context, id)
      return { destination, tests, status }
    }
    const failure = [status, result.cause, result.errorCode].join(' ')
    if (failure !== lastFailure) onWaiting?.(result)
    lastFailure = failure
    // An aborted wait ends here, and throws the reason above.
    await delay(Math.min(500 * tests, 3000), undefined, { signal }).catch(() => undefined)
  }

  async function create(): Promise<string> {
    const given = { accountId, name: forwardName, url, secret }
    const input = parseInput(createDestination.input, given)
    const made = await createDestination.run(context, input)
    onCreated?.(made)
    return made.id
  }
}

const forwardName = 'Forward'

async function move(
  context: Context,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { href } = readTarget(to, context)
  for (const { id } of await findEarlier(context, accountId, from)) {
    await context.database.query('update sandbox.destination set url_sealed = $2 where id = $1', [
      id,
      context.vault.seal(href, urlLabel(id)),
    ])
  }
}

/** Makes deliveries due that wait only because nothing listened. */
async function retryUnreachable({ database, deliverer }: Context, id: string): Promise<void> {
  await database.query(
    `update sandbox.delivery d set next_attempt_at = sandbox.clock_time()
     from sandbox.delivery_attempt a
     where d.destination_id = $1 and d.state = 'scheduled' and a.delivery_id = d.id
       and a.attempt = d.attempts and a.cause in ('connect', 'reset')`,
    [id],
  )
  deliverer.wake()
}

async function findEarlier({ database, vault }: Context, accountId: string, url: string) {
  const { rows } = await database.query<{ id: string; url_sealed: Buffer; sealed: Buffer | null }>(
    `select d.id, d.url_sealed, s.sealed
     from sandbox.destination d
     left join sandbox.destination_secret s on s.destination_id = d.id and s.state = 'current'
     where d.account_id = $1 and d.name = $2 and d.state <> 'deleted'`,
    [accountId, forwardName],
  )
  const href = URL.canParse(url) ? new URL(url).href : url
  return rows
    .filter(({ id, url_sealed }) => id === url || vault.open(url_sealed, urlLabel(id)) === href)
    .map(({ id, sealed }) => ({ id, secret: sealed && vault.open(sealed, secretLabel(id)) }))
}
