import { setTimeout as delay } from 'node:timers/promises'
import { pruneDeliveries } from './prune-deliveries.ts'
import { settleSecrets } from './signing-secrets.ts'
import { sweepDeliveries } from './sweep-deliveries.ts'
import type { WebhookContext } from './webhook-context.ts'

const everyMs = 1000

/**
 * Takes back what was interrupted, has secrets take over and forgets what is old, every second until
 * the signal.
 */
export async function keepHouse(
  { database, onError }: Pick<WebhookContext, 'database' | 'onError'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await settleSecrets(database).catch(onError)
    await sweepDeliveries(database).catch(onError)
    await pruneDeliveries(database).catch(onError)
    await delay(everyMs, undefined, { signal }).catch(() => undefined)
  }
}
