import { setTimeout as delay } from 'node:timers/promises'
import { pruneDeliveries } from './prune-deliveries.ts'
import { settleSecrets } from '../secrets/signing-secrets.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'
import type { WebhookContext } from '../webhook-context.ts'

const everyMs = 1_000
const pruneEveryMs = 60_000

/**
 * Takes back what was interrupted and has secrets take over, every second until the signal; and
 * forgets what is old, every minute.
 */
export async function keepHouse(
  { database, onError }: Pick<WebhookContext, 'database' | 'onError'>,
  signal: AbortSignal,
): Promise<void> {
  let prunedAt = -Infinity
  while (!signal.aborted) {
    await settleSecrets(database).catch(onError)
    await sweepDeliveries(database).catch(onError)
    if (performance.now() - prunedAt >= pruneEveryMs) {
      prunedAt = performance.now()
      await pruneDeliveries(database).catch(onError)
    }
    await delay(everyMs, undefined, { signal }).catch(() => undefined)
  }
}
