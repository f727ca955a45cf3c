import type { Context } from '../server/context.ts'
import { findOpenStep } from './find-events.ts'
import { drawType } from '../seed/draw-history.ts'
import providers from '../seed/providers.json' with { type: 'json' }
import { seededRandom } from '../seed/random.ts'
import { composeEvent } from './compose-event.ts'

export function startTicking(context: Context, intervalSeconds: number): { stop(): Promise<void> } {
  let working: Promise<void> | undefined
  const timer = setInterval(() => {
    working ??= tick(context)
      .catch(context.onError)
      .finally(() => {
        working = undefined
      })
  }, intervalSeconds * 1000)
  return {
    async stop() {
      clearInterval(timer)
      await working
    },
  }
}

/** The next event of the feed: which it is follows from the seed and from how many there are. */
export async function tick(context: Context): Promise<void> {
  const { database, seed } = context
  const { rows } = await database.query<{ ticks: number }>(
    `select count(*) as ticks from sandbox.feed_log`,
  )
  const random = seededRandom(`${seed} tick ${rows[0]?.ticks ?? 0}`)
  const provider = random.pick(providers)
  const id = random.id('evt_')
  const isOpen = await findOpenStep(database, provider.slug)
  const outage = isOpen ? random.pick(['outage_updated', 'outage_resolved']) : 'outage_started'
  const eventType = random.chance(0.2) ? outage : drawType(random)
  await composeEvent(context, { id, providerSlug: provider.slug, eventType }, random)
}
