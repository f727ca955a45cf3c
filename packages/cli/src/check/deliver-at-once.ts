import type { Answer } from './send-request.ts'
import { createStartingLine } from './starting-line.ts'
import type { Target } from './target.ts'

/** Delivers one event fifty times so that all of them arrive at once, and gives all answers. */
export function deliverAtOnce({ deliver }: Target, event: object): Promise<Answer[]> {
  const startingLine = createStartingLine(count)
  const manner = { startingLine }
  return Promise.all(Array.from({ length: count }, () => deliver(event, { manner })))
}

const count = 50
