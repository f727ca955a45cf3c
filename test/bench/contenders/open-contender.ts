import type { Contender, ContenderSettings } from './contender.ts'
import type { ContenderName } from './contenders.ts'

export type OtherContenderName = Exclude<ContenderName, 'feed-receiver'>

/** Each is loaded when it opens. Both names of BullMQ differ only in how their Redis persists. */
const openers: Record<OtherContenderName, (settings: ContenderSettings) => Promise<Contender>> = {
  naive: async (settings) => (await import('./naive.ts')).openNaive(settings),
  'pg-boss': async (settings) => (await import('./pg-boss.ts')).openPgBoss(settings),
  bullmq: openBullMq,
  'bullmq-always': openBullMq,
}

/** Opens any contender but this kit. */
export async function openContender(
  name: OtherContenderName,
  settings: ContenderSettings,
): Promise<Contender> {
  return await openers[name](settings)
}

async function openBullMq(settings: ContenderSettings): Promise<Contender> {
  return (await import('./bullmq.ts')).openBullMq(settings)
}
