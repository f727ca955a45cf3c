import type { Context } from '../server/context.ts'
import { createDeliverer, type Deliverer } from './deliveries/deliverer.ts'
import { enqueueDeliveries } from './deliveries/enqueue-deliveries.ts'
import { openVault, type VaultKey } from './secrets/vault.ts'
import type { WebhookContext } from './webhook-context.ts'

export interface WebhookSettings {
  key: VaultKey
  strictDestinations: boolean
  sendChat: boolean
}

/** The push side of a running sandbox. */
export interface Webhooks {
  parts: WebhookContext & { deliverer: Deliverer }
  /** Delivers from now on. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** @throws SandboxError `bad_option` for a key that is none or not the one of this database. */
export async function openWebhooks(
  context: Pick<Context, 'database' | 'clock' | 'baseUrl' | 'onError' | 'onPublish'>,
  { key, ...settings }: WebhookSettings,
): Promise<Webhooks> {
  const webhooks = { ...context, ...settings, vault: await openVault(context.database, key) }
  const deliverer = createDeliverer(webhooks)
  context.onPublish.push(async (tx, published) => {
    await enqueueDeliveries(tx, published)
    tx.afterCommit(() => deliverer.wake())
  })
  const unfollow = context.clock.onMove(() => deliverer.wake())
  return {
    parts: { ...webhooks, deliverer },
    start: () => deliverer.start(),
    async stop() {
      unfollow()
      await deliverer.stop()
    },
  }
}
