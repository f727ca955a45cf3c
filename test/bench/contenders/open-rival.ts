import type { Rival, RivalSettings } from './rival.ts'

/**
 * The rivals by name, each loaded when it opens. Both names of BullMQ differ only in how their Redis
 * persists.
 */
export const rivals = {
  naive: async (settings) => (await import('./naive.ts')).openNaive(settings),
  'pg-boss': async (settings) => (await import('./pg-boss.ts')).openPgBoss(settings),
  bullmq: openBullMq,
  'bullmq-always': openBullMq,
} satisfies Record<string, (settings: RivalSettings) => Promise<Rival>>

export type RivalName = keyof typeof rivals
export { queueName } from './rival.ts'

async function openBullMq(settings: RivalSettings): Promise<Rival> {
  return (await import('./bullmq.ts')).openBullMq(settings)
}
