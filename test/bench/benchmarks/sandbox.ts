/** The sandbox, in parts. */
import type { Figure } from '../figure.ts'
import { measureDeliveries } from '../sandbox-deliveries.ts'
import { measureEvents } from '../sandbox-events.ts'

const measures: Record<string, (say: (line: string) => void) => Promise<Figure[]>> = {
  events: measureEvents,
  deliveries: measureDeliveries,
}

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const part of parts.length > 0 ? parts : Object.keys(measures)) {
    const one = measures[part]
    if (!one) throw new Error(`The parts are ${Object.keys(measures).join(', ')}.`)
    figures.push(...(await one(say)))
  }
  return figures
}
