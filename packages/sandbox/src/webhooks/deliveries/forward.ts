import { setTimeout as delay } from 'node:timers/promises'
import { checkTarget } from '@feed-receiver/sender'
import { firstAccount } from '../../state/accounts.ts'
import { parseInput } from '../../server/refusals.ts'
import { deleteDestination } from '../destinations/change-destination.ts'
import {
  createDestination,
  newDestination,
  type CreatedDestination,
} from '../destinations/create-destination.ts'
import type { Destination } from '../destinations/destinations.ts'
import { secretPlace, urlPlace } from '../../state/vault.ts'
import type { Context } from '../../server/context.ts'
import type { RunningContext } from './deliverer.ts'
import { testDestination, type TestResult } from './test-destination.ts'

export interface Forward {
  url: string
  /** The signing secret that the app has already. @default a new one, told to `onCreated` */
  secret?: string | undefined
  /** Where the app was before: its destination gets the new URL, and keeps what is pending for it. */
  movedFrom?: string | undefined
  /** @default the first account */
  accountId?: string | undefined
  /** Is told the destination, with its secret where it was made now. */
  onCreated?: ((destination: CreatedDestination) => void) | undefined
  /** Is told how a test went that was not accepted; the same failure again and again only once. */
  onWaiting?: ((result: TestResult) => void) | undefined
  /** Ends the waiting. */
  signal?: AbortSignal | undefined
}

export interface ForwardedTo {
  destination: Destination
  /** How many test deliveries it took. */
  tests: number
  /** What the app answered; null for a chat whose messages are only shown. */
  status: number | null
}

/**
 * Has the feed arrive at an app: makes a destination, or takes the one that an earlier run made for the
 * same URL and secret, with all that is still pending for it, and repeats the test delivery until the
 * app answers 2xx. From then on it is live, and retries that wait because nothing listened are due.
 *
 * @throws Refusal as `createDestination`, and the reason of the signal.
 */
export async function forwardTo(
  context: RunningContext,
  { url, secret, movedFrom, accountId = firstAccount.id, onCreated, onWaiting, signal }: Forward,
): Promise<ForwardedTo> {
  if (movedFrom !== undefined) await move(context, accountId, { from: movedFrom, to: url })
  const earlier = await findEarlier(context, accountId, url)
  const kept = earlier.find((one) => secret !== undefined && one.secret === secret)
  for (const one of earlier) if (one !== kept) await deleteDestination(context, one.id)
  const id = kept?.id ?? (await create())
  let told: string | undefined
  for (let tests = 1; ; tests += 1) {
    signal?.throwIfAborted()
    const result = await testDestination(context, id)
    const { isAccepted, destination, status } = result
    if (isAccepted) {
      if (!context.strict) await hurry(context, id)
      return { destination, tests, status }
    }
    const failure = [status, result.cause, result.errorCode].join(' ')
    if (failure !== told) onWaiting?.(result)
    told = failure
    // Aborted, it ends with the reason above.
    await delay(Math.min(500 * tests, 3000), undefined, { signal }).catch(() => undefined)
  }

  async function create(): Promise<string> {
    const given = { accountId, name: forwardName, url, secret }
    const made = await createDestination(context, parseInput(newDestination, given))
    onCreated?.(made)
    return made.id
  }
}

const forwardName = 'Forward'

async function move(
  context: RunningContext,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { href } = checkTarget(to, { allowLocal: !context.strictDestinations })
  for (const { id } of await findEarlier(context, accountId, from)) {
    await context.database.query('update sandbox.destination set url_sealed = $2 where id = $1', [
      id,
      context.vault.seal(href, urlPlace(id)),
    ])
  }
}

/** Makes due what waits only because nobody listened. */
async function hurry({ database, deliverer }: RunningContext, id: string): Promise<void> {
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
    .filter((row) => vault.open(row.url_sealed, urlPlace(row.id)) === href)
    .map(({ id, sealed }) => ({ id, secret: sealed && vault.open(sealed, secretPlace(id)) }))
}
