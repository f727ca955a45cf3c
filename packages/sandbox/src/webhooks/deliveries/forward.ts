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
import type { DestinationKind } from '../../state/delivery.ts'
import { secretLabel, urlLabel } from '../../state/vault.ts'
import type { Context } from '../../server/context.ts'
import { testDestination, type TestResult } from './test-destination.ts'

export interface Forward {
  /** The URL of the app's receiver. It may be on loopback. */
  url: string
  /**
   * The signing secret that the app already has, or had before a rotation.
   * @default a new one, passed to `onCreated`
   */
  secret?: string | undefined
  /**
   * Whether the app may have moved: the last signed destination with this secret gets this URL and
   * keeps its pending deliveries, and the other signed ones of earlier calls are deleted.
   * @default false: each URL has its own destination
   */
  mayHaveMoved?: boolean | undefined
  /**
   * The account that owns the destination.
   * @default the first account
   */
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
export async function forwardTo(context: Context, forward: Forward): Promise<ForwardedTo> {
  const { url, secret, accountId = firstAccount.id, onCreated, onWaiting, signal } = forward
  const { href } = readTarget(url, context)
  const all = await findEarlier(context, accountId)
  const earlier = all.filter(
    (one) => one.href === href || (forward.mayHaveMoved === true && one.kind === 'signed'),
  )
  // An earlier secret counts too: in a rehearsed rotation the app may not have the new one yet.
  const reused = earlier.findLast(
    // oxlint-disable-next-line feed-receiver/constant-time -- the developer has these secrets
    ({ secrets }) => secret !== undefined && secrets.includes(secret),
  )
  for (const one of earlier) if (one !== reused) await deleteDestination.run(context, one)
  if (reused && reused.href !== href) await moveTo(context, reused.id, href)
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
    const given = { accountId, name: 'Forward', url, secret }
    const input = parseInput(createDestination.input, given)
    const made = await createDestination.run(context, input)
    const mark = 'update sandbox.destination set is_forward = true where id = $1'
    await context.database.query(mark, [made.id])
    onCreated?.(made)
    return made.id
  }
}

async function moveTo({ database, vault }: Context, id: string, href: string): Promise<void> {
  await database.query('update sandbox.destination set url_sealed = $2 where id = $1', [
    id,
    vault.seal(href, urlLabel(id)),
  ])
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

/** The destinations of earlier calls, oldest first. */
async function findEarlier({ database, vault }: Context, accountId: string) {
  const { rows } = await database.query<Sealed>(
    `select d.id, d.kind, d.url_sealed, array(
       select sealed from sandbox.destination_secret
       where destination_id = d.id and state <> 'erased'
     ) as sealed
     from sandbox.destination d
     where d.account_id = $1 and d.is_forward and d.state <> 'deleted'
     order by d.created_at, d.id`,
    [accountId],
  )
  return rows.map(({ id, kind, url_sealed, sealed }) => ({
    id,
    kind,
    href: vault.open(url_sealed, urlLabel(id)),
    secrets: sealed.map((one) => vault.open(one, secretLabel(id))),
  }))
}

interface Sealed {
  id: string
  kind: DestinationKind
  url_sealed: Buffer
  sealed: Buffer[]
}
