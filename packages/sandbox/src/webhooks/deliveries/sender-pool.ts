import { createSender, type Sender } from '@feed-receiver/sender'
import { secretPlace, urlPlace } from '../secrets/vault.ts'
import type { WebhookContext } from '../webhook-context.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'

/**
 * Senders by destination, each with the address and the secret of now and connections of its own. What
 * nobody needed for a while is closed and forgotten: its destination may be deleted.
 */
export interface SenderPool {
  /** Runs `send` with the sender of this destination. */
  lend<T>(target: SealedTarget, send: (lent: OpenedTarget) => Promise<T>): Promise<T>
  /** Breaks off every attempt. Idempotent. */
  close(): Promise<void>
}

type SealedTarget = Pick<ClaimedDelivery, 'destinationId' | 'urlSealed' | 'secretSealed'>

export interface OpenedTarget {
  to: string
  /** For a chat one that signs nothing, since a sender has a secret. */
  secret: string
  sender: Sender
}

interface Lent extends OpenedTarget {
  sealed: SealedTarget
  uses: number
  idle: NodeJS.Timeout
}

interface SenderPoolOptions extends Pick<
  WebhookContext,
  'vault' | 'baseUrl' | 'strictDestinations'
> {
  /** How long a sender is kept that nobody uses. */
  idleMs?: number
}

export function createSenderPool({
  vault,
  baseUrl,
  strictDestinations,
  idleMs = 60_000,
}: SenderPoolOptions): SenderPool {
  const current = new Map<string, Lent>()
  /** Those of now, and those replaced that still send. */
  const open = new Set<Lent>()

  return {
    async lend(target, send) {
      const lent = lentFor(target)
      lent.uses += 1
      try {
        return await send(lent)
      } finally {
        lent.uses -= 1
        lent.idle.refresh()
        if (lent.uses === 0 && current.get(target.destinationId) !== lent) await close(lent)
      }
    },
    async close() {
      current.clear()
      await Promise.all([...open].map(close))
    },
  }

  function lentFor(target: SealedTarget): Lent {
    const { destinationId } = target
    const known = current.get(destinationId)
    if (known && isSame(known.sealed, target)) return known
    // It begins again with the end of each use.
    const idle = setTimeout(() => closeIdle(made), idleMs).unref()
    const made: Lent = { ...unseal(target), sealed: target, uses: 0, idle }
    open.add(made)
    current.set(destinationId, made)
    if (known?.uses === 0) void close(known)
    return made
  }

  function closeIdle(lent: Lent): void {
    if (lent.uses > 0) return
    current.delete(lent.sealed.destinationId)
    void close(lent)
  }

  async function close(lent: Lent): Promise<void> {
    open.delete(lent)
    clearTimeout(lent.idle)
    await lent.sender.close()
  }

  function unseal({ destinationId, urlSealed, secretSealed }: SealedTarget): OpenedTarget {
    const to = vault.open(urlSealed, urlPlace(destinationId))
    const secret = secretSealed ? vault.open(secretSealed, secretPlace(destinationId)) : unsigned
    const sender = createSender({ secret, allowLocal: !strictDestinations, baseUrl: baseUrl() })
    return { to, secret, sender }
  }
}

const unsigned = 'feed_whsec_of_chats_which_are_not_signed'

function isSame(one: SealedTarget, other: SealedTarget): boolean {
  const [before, now] = [one.secretSealed, other.secretSealed]
  return one.urlSealed.equals(other.urlSealed) && (before ? now?.equals(before) === true : !now)
}
