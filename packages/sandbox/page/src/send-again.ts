import type { ActionAnswer } from '../../src/control/actions.ts'
import { call } from './api.ts'

/** Sends a delivery again: makes its pending attempt now, or creates a new delivery. */
export async function sendAgain(id: number): Promise<{ id: number; notice: string }> {
  const { state } = await call('findDelivery', { id })
  if (state === 'scheduled') {
    const same = await call('retryDelivery', { id })
    return { id: same.id, notice: `Attempted now: ${titleOf(same)}` }
  }
  const next = await call('resendDelivery', { id })
  return { id: next.id, notice: `Sent again: ${titleOf(next)}` }
}

type Titled = Pick<
  ActionAnswer<'listDeliveries'>[number],
  'id' | 'kind' | 'eventTitle' | 'eventType'
>

export function titleOf({ id, kind, eventTitle, eventType }: Titled): string {
  return eventTitle ?? (kind === 'test' ? 'Test delivery' : (eventType ?? `Delivery ${id}`))
}
