import type { ServiceEvent } from '../state/event-schema.ts'
import { confirmed, corrected, retracted, type PublishedEvent } from '../state/published-event.ts'
import { drawableTypes, drawEvent } from './draw-event.ts'
import { drawContext, drawNextStep, drawOutage } from './draw-incident.ts'
import type { Random } from './random.ts'

const hourMs = 3_600_000

/**
 * Makes up the days before `end`: every type at least once, incidents of several steps, and events that
 * were confirmed, corrected or retracted later on. In the order in which it came to pass.
 */
export function drawHistory(
  random: Random,
  { end, days }: { end: Date; days: number },
): PublishedEvent[] {
  const start = end.getTime() - days * 24 * hourMs
  const within = () => new Date(start + Math.floor(random.next() * (end.getTime() - start)))
  const types = Array.from(
    { length: Math.max(drawableTypes.length, days * 7) },
    (_, at) => drawableTypes[at] ?? drawType(random),
  )
  const single = types.flatMap((type) => follow(random, drawEvent(random, { type, at: within() })))
  const outages = Array.from({ length: Math.max(2, Math.ceil(days / 4)) }, within)
  const steps = outages.flatMap((at, place) => drawSteps(random, at, place % 2 === 0))
  return [...single, ...steps]
    .filter(({ at }) => at <= end)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.event.id < b.event.id ? -1 : 1))
}

export function drawType(random: Random): string {
  return random.pick(drawableTypes)
}

type HistoryEvent = Required<PublishedEvent>

/** An event, and in some cases what became of it. */
function follow(random: Random, event: ServiceEvent): HistoryEvent[] {
  const at = new Date(event.firstObservedAt)
  const later = new Date(at.getTime() + random.whole(1, 20) * hourMs)
  const observed: HistoryEvent = { event, change: 'observed', at }
  if (event.confirmationState === 'unconfirmed' && random.chance(0.5)) {
    return [observed, { event: confirmed(event), change: 'confirmed', at: later }]
  }
  if (random.chance(0.05)) {
    const change = { title: `${event.title} (corrected)` }
    return [observed, { event: corrected(event, change, later), change: 'corrected', at: later }]
  }
  if (random.chance(0.03)) {
    return [observed, { event: retracted(event, later), change: 'retracted', at: later }]
  }
  return [observed]
}

function drawSteps(random: Random, start: Date, hasContext: boolean): HistoryEvent[] {
  let last = drawOutage(random, { at: start })
  let at = start
  const steps: HistoryEvent[] = [{ event: last, change: 'observed', at }]
  const updates = random.whole(1, 4)
  for (let step = 1; step <= updates + 1; step += 1) {
    at = new Date(at.getTime() + random.whole(5, 90) * 60_000)
    if (hasContext && step === 2) {
      last = drawContext(random, last, at)
      steps.push({ event: last, change: 'observed', at })
      at = new Date(at.getTime() + random.whole(5, 90) * 60_000)
    }
    const type = step > updates ? 'outage_resolved' : 'outage_updated'
    last = drawNextStep(random, last, { type, at })
    steps.push({ event: last, change: 'observed', at })
  }
  return steps
}
