import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from '@feed-receiver/core'
import type { Control } from '@feed-receiver/sandbox'
import type { Board } from './board.ts'

/** Shows the sandbox's record of its deliveries on the board. */
export interface Journal {
  /** Shows attempts as they end, until none is in flight or due. */
  follow(): Promise<void>
}

type Delivery = Awaited<ReturnType<Control['listDeliveries']>>[number]

export function createJournal(control: Control, board: Board): Journal {
  const shown = new Map<number, number>()

  async function follow(): Promise<void> {
    for (;;) {
      const deliveries = await control.listDeliveries()
      const { now } = await control.readClock()
      for (const delivery of deliveries.toReversed()) await show(delivery)
      if (!deliveries.some((delivery) => isInFlight(delivery, now))) return
      await delay(50)
    }
  }

  async function show({ id, eventId, state, attempts }: Delivery): Promise<void> {
    const before = shown.get(id) ?? 0
    const ended = state === 'in_flight' ? attempts - 1 : attempts
    if (ended <= before) return
    const delivery = await control.findDelivery({ id })
    if (!delivery) return
    shown.set(id, ended)
    const { type } = JSON.parse(delivery.body) as FeedEvent
    for (const attempt of delivery.attemptList.slice(before, ended)) {
      board.answer(eventId, type, attempt.status ?? attempt.errorCode ?? 'no answer')
    }
  }

  return { follow }
}

function isInFlight({ state, nextAttemptAt }: Delivery, now: Date): boolean {
  return state === 'in_flight' || (nextAttemptAt !== null && nextAttemptAt <= now)
}
