import { setTimeout as delay } from 'node:timers/promises'
import type { Traffic } from '../traffic.ts'
import type { World } from '../world.ts'

/** Lets more events through while something waits for one of them. */
export async function withTraffic<T>({ traffic }: World, wait: () => Promise<T>): Promise<T> {
  const isOver = new AbortController()
  void keepComing(traffic, isOver.signal)
  return await wait().finally(() => isOver.abort())
}

async function keepComing(traffic: Traffic, isOver: AbortSignal): Promise<void> {
  while (!isOver.aborted) {
    await delay(100)
    const isIdle = traffic.acknowledged >= traffic.allowed
    if (!isOver.aborted && isIdle) traffic.allow(traffic.allowed + 3)
  }
}
