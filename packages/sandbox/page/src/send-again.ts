import { call } from './api.ts'
import { titleOf } from './deliveries.tsx'

/** Sends a delivery again: makes its pending attempt now, or creates a new delivery. */
export async function sendAgain(id: number): Promise<{ id: number; said: string }> {
  const { state } = await call('findDelivery', { id })
  if (state === 'scheduled') {
    const same = await call('retryDelivery', { id })
    return { id: same.id, said: `Attempted now: ${titleOf(same)}` }
  }
  const next = await call('resendDelivery', { id })
  return { id: next.id, said: `Sent again: ${titleOf(next)}` }
}
