import type { Step } from './handle-worker.ts'
import type { RunningProgram } from '../support/start-program.ts'

/** How many events wait when the handlers start, and how many then come one by one. */
export interface HandlePlan {
  jobs: number
  lone: number
}

export interface HandleRound {
  perSecond: number
  /** From accept to handler, of a lone event. */
  loneMs: number
}

/** One round of a `handle-worker.ts`. `observe` wraps the time in which it only handles. */
export async function runHandlers(
  { send, nextLine }: RunningProgram,
  { jobs, lone }: HandlePlan,
  observe: (handle: () => Promise<void>) => Promise<void> = (handle) => handle(),
): Promise<HandleRound> {
  await take({ queue: jobs })
  let tookMs = 0
  await observe(async () => void (tookMs = await take({ handle: true })))
  const loneMs = await take({ lone })
  await take({ rest: true })
  return { perSecond: (jobs / tookMs) * 1_000, loneMs }

  async function take(step: Step): Promise<number> {
    send(JSON.stringify(step))
    return Number(await nextLine())
  }
}
