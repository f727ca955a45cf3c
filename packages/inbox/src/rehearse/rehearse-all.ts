import type { Rehearsed } from './rehearse-event.ts'
import type { RehearseOptions } from './rehearse-options.ts'
import type { RehearsalReport } from './report.ts'
import type { StoredEvent } from './stored-events.ts'
import { createTally } from './tally.ts'

interface Course extends Pick<RehearseOptions, 'onProgress' | 'signal' | 'forbidNetwork'> {
  limit: number
  concurrency: number
  countsRows: boolean
}

/** Rehearses events concurrently, until there are no more or something ends it. */
export async function rehearseAll(
  events: AsyncGenerator<StoredEvent, void>,
  rehearseEvent: (event: StoredEvent) => Promise<Rehearsed>,
  { limit, concurrency, countsRows, forbidNetwork, onProgress, signal }: Course,
): Promise<RehearsalReport> {
  const startedAt = performance.now()
  const tally = createTally()
  const course = { begun: 0, stuck: 0, isEmpty: false, hasFailed: false }

  const slots = Array.from({ length: concurrency }, async () => {
    try {
      await work()
    } catch (error) {
      // The other slots finish their current events.
      course.hasFailed = true
      throw error
    }
  })
  for (const slot of await Promise.allSettled(slots)) {
    if (slot.status === 'rejected') throw slot.reason
  }
  const durationMs = Math.round(performance.now() - startedAt)
  return tally.report({ ended: whyEnded(), durationMs, countsRows }, forbidNetwork !== true)

  async function work(): Promise<void> {
    while (goesOn()) {
      course.begun += 1
      const next = await events.next()
      if (next.done) {
        course.isEmpty = true
        return
      }
      const rehearsed = await rehearseEvent(next.value)
      tally.add(rehearsed)
      onProgress?.(tally.total)
      if (!rehearsed.isStuck) continue
      // Its transaction is lost, and so is this slot.
      course.stuck += 1
      return
    }
  }

  function goesOn(): boolean {
    const { begun, isEmpty, hasFailed } = course
    return !isEmpty && !hasFailed && begun < limit && signal?.aborted !== true
  }

  function whyEnded(): RehearsalReport['ended'] {
    if (course.isEmpty) return 'all'
    if (course.stuck === concurrency) return 'stuck'
    return signal?.aborted === true ? 'aborted' : 'limit'
  }
}
