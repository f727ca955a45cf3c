import { createSender, type Sender } from '@feed-receiver/sender'

/** Senders by destination, each with the secret that signs now and with connections of its own. */
export interface SenderPool {
  /** Runs `use` with the sender of this destination. */
  lend<T>(use: Loan, run: (sender: Sender) => Promise<T>): Promise<T>
  /** Breaks off every attempt. Idempotent. */
  close(): Promise<void>
}

export interface Loan {
  destinationId: string
  secret: string
  allowLocal: boolean
}

interface Lent {
  secret: string
  sender: Sender
  uses: number
}

export function createSenderPool(baseUrl: () => string): SenderPool {
  const senders = new Map<string, Lent>()
  const replaced = new Set<Lent>()

  return { lend, close }

  async function lend<T>(use: Loan, run: (sender: Sender) => Promise<T>): Promise<T> {
    const lent = senderFor(use)
    lent.uses += 1
    try {
      return await run(lent.sender)
    } finally {
      lent.uses -= 1
      if (lent.uses === 0 && replaced.delete(lent)) await lent.sender.close()
    }
  }

  function senderFor({ destinationId, secret, allowLocal }: Loan): Lent {
    const known = senders.get(destinationId)
    if (known?.secret === secret) return known
    const sender = createSender({ secret, allowLocal, baseUrl: baseUrl() })
    const made = { secret, sender, uses: 0 }
    senders.set(destinationId, made)
    // What it still sends may finish.
    if (known && known.uses > 0) replaced.add(known)
    else void known?.sender.close()
    return made
  }

  async function close(): Promise<void> {
    const all = [...senders.values(), ...replaced]
    senders.clear()
    replaced.clear()
    await Promise.all(all.map(({ sender }) => sender.close()))
  }
}
