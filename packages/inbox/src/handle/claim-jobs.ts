import { claimWithin } from '../queue/claim-within.ts'
import { groupOldJobs, handBack } from '../queue/hand-back.ts'
import type { ClaimedJob, Limits, Place } from '../queue/queue.ts'
import type { Paused, Pauses } from './watch-pauses.ts'

/**
 * Creates the function that claims up to a number of due jobs, of no paused type and within the
 * limits of types. If it returns fewer, no other job may run now.
 */
export function claimsOn(place: Place, pauses: Pauses, limits: Limits) {
  return claimAllowed

  async function claimAllowed(wanted: number): Promise<ClaimedJob[]> {
    const before = await pauses.recent()
    if (before.isWhole) return []
    const jobs = await claim(wanted, before)
    const paused = await pauses.atAnswer(before)
    const isFree = !paused.isWhole && paused.types.length === 0 && limits.size === 0
    if (isFree || jobs.length === 0) return jobs
    const allowed = await keepAllowed(jobs, paused)
    if (allowed.length === jobs.length) return jobs
    return [...allowed, ...(await claimAllowed(wanted - allowed.length))]
  }

  async function claim(wanted: number, { types }: Paused): Promise<ClaimedJob[]> {
    if (limits.size === 0) return await place.queue.claim(wanted, types)
    return await claimWithin(place, limits, types, wanted)
  }

  /**
   * Hands back jobs that may not run after all, and jobs without a group, whose type is unknown
   * until they get one.
   */
  async function keepAllowed(jobs: ClaimedJob[], paused: Paused): Promise<ClaimedJob[]> {
    const isAllowed = ({ groupId }: ClaimedJob) =>
      !paused.isWhole && typeof groupId === 'string' && !paused.types.includes(groupId)
    const refused = jobs.filter((job) => !isAllowed(job))
    if (refused.length === 0) return jobs
    await place.database.tx(async (tx) => {
      await handBack(tx, place, refused)
      await groupOldJobs(tx, place)
    })
    return jobs.filter(isAllowed)
  }
}
