import { createSender, type Sender } from '@feed-receiver/sender'
import { urlPlace } from '../destinations/destinations.ts'
import { secretPlace } from '../secrets/signing-secrets.ts'
import type { WebhookContext } from '../webhook-context.ts'

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

export interface SealedTarget {
  destinationId: string
  urlSealed: Buffer
  /** Null for a chat. */
  secretSealed: Buffer | null
}

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
  const replaced = new Set<Lent>()

  return { lend, close: closeAll }

  async function lend<T>(
    target: SealedTarget,
    send: (lent: OpenedTarget) => Promise<T>,
  ): Promise<T> {
    const lent = lentFor(target)
    lent.uses += 1
    try {
      return await send(lent)
    } finally {
      lent.uses -= 1
      lent.idle.refresh()
      if (lent.uses === 0 && replaced.delete(lent)) await close(lent)
    }
  }

  function lentFor(target: SealedTarget): Lent {
    const known = current.get(target.destinationId)
    if (known && isSame(known.sealed, target)) return known
    const idle = setTimeout(() => dropIdle(made), idleMs).unref()
    const made: Lent = { ...open(target), sealed: target, uses: 0, idle }
    current.set(target.destinationId, made)
    // What it still sends may finish.
    if (known && known.uses > 0) replaced.add(known)
    else if (known) void close(known)
    return made
  }

  function dropIdle(lent: Lent): void {
    // It begins again with the end of each use.
    if (lent.uses > 0 || current.get(lent.sealed.destinationId) !== lent) return
    current.delete(lent.sealed.destinationId)
    void close(lent)
  }

  async function close({ idle, sender }: Lent): Promise<void> {
    clearTimeout(idle)
    await sender.close()
  }

  function open({ destinationId, urlSealed, secretSealed }: SealedTarget): OpenedTarget {
    const to = vault.open(urlSealed, urlPlace(destinationId))
    const secret = secretSealed ? vault.open(secretSealed, secretPlace(destinationId)) : unsigned
    const sender = createSender({ secret, allowLocal: !strictDestinations, baseUrl: baseUrl() })
    return { to, secret, sender }
  }

  async function closeAll(): Promise<void> {
    const all = [...current.values(), ...replaced]
    current.clear()
    replaced.clear()
    await Promise.all(all.map(close))
  }
}

const unsigned = 'feed_whsec_of_chats_which_are_not_signed'

function isSame(one: SealedTarget, other: SealedTarget): boolean {
  const [before, now] = [one.secretSealed, other.secretSealed]
  return one.urlSealed.equals(other.urlSealed) && (before ? now?.equals(before) === true : !now)
}
