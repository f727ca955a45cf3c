import type { Context } from '../server/context.ts'
import type { Vault } from './secrets/vault.ts'

/** What the parts of the push side share. */
export interface WebhookContext extends Pick<
  Context,
  'database' | 'clock' | 'baseUrl' | 'onError'
> {
  vault: Vault
  /** Whether targets must be public, https and reachable (R176–R180, R185). */
  strictDestinations: boolean
  /** Whether messages to chats are posted, and not only rendered. */
  sendChat: boolean
}
