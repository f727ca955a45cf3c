import { claimWithin } from '../queue/claim-within.ts'
import { handBack } from '../queue/hand-back.ts'
import type { InboxContext } from '../context.ts'
import type { ClaimedJob, Limits } from '../queue/queue.ts'
import type { Paused, Pauses } from './watch-pauses.ts'

/**
 * Creates the function that claims up to a number of due jobs, of no paused type and within the
 * limits of types. If it returns fewer, no other job may run now.
 */
export function claimsOn(context: InboxContext, pauses: Pauses, limits: Limits) {
  return claimAllowed

  async function claimAllowed(wanted: number): Promise<ClaimedJob[]> {
    const before = await pauses.recent()
    if (before.isWhole) return []
    const jobs = await claim(wanted, before)
    const paused = await pauses.atAnswer(before)
    const allowed = await keepAllowed(jobs, paused)
    if (allowed.length === jobs.length) return jobs
    return [...allowed, ...(await claimAllowed(wanted - allowed.length))]
  }

  async function claim(wanted: number, { types }: Paused): Promise<ClaimedJob[]> {
    if (limits.size === 0) return await context.queue.claim(wanted, types)
    return await claimWithin(context, limits, types, wanted)
  }

  /** Hands back jobs that may not run after all, because of a pause during their claim. */
  async function keepAllowed(jobs: ClaimedJob[], paused: Paused): Promise<ClaimedJob[]> {
    const isAllowed = ({ groupId }: ClaimedJob) =>
      !paused.isWhole && !paused.types.includes(groupId ?? '')
    const refused = jobs.filter((job) => !isAllowed(job))
    if (refused.length === 0) return jobs
    await handBack(context, refused)
    return jobs.filter(isAllowed)
  }
}
