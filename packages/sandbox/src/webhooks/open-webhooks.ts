import type { Context } from '../server/context.ts'
import { createDeliverer } from './deliveries/deliverer.ts'
import { enqueueDeliveries } from './deliveries/enqueue-deliveries.ts'
import { openVault, type VaultKey } from './secrets/vault.ts'
import type { WebhookContext } from './webhook-context.ts'

export type WebhookSettings = Pick<WebhookContext, 'strictDestinations' | 'sendChat'> & {
  key: VaultKey
}

/**
 * The push side of a running sandbox.
 *
 * @throws SandboxError `bad_option` for a key that is none or not the one of this database.
 */
export async function openWebhooks(
  context: Pick<Context, 'database' | 'clock' | 'baseUrl' | 'onError' | 'onPublish'>,
  { key, ...settings }: WebhookSettings,
) {
  const webhooks = { ...context, ...settings, vault: await openVault(context.database, key) }
  const deliverer = createDeliverer(webhooks)
  context.onPublish.push(async (tx, published) => {
    await enqueueDeliveries(tx, published)
    tx.afterCommit(() => deliverer.wake())
  })
  const unfollow = context.clock.onMove(() => deliverer.wake())
  return {
    parts: { ...webhooks, deliverer },
    /** Delivers from now on. */
    start: () => deliverer.start(),
    async stop() {
      unfollow()
      await deliverer.stop()
    },
  }
}
