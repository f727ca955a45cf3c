import type { DeliveryInbox, Observation } from './delivery.ts'
import type { ReceiverOptions } from './options.ts'
import { warnOfRefusals } from './refusals/warn-of-refusals.ts'

/** Makes the function that reports an answer to the inbox and the observer, without waiting. */
export function tellOf(
  inbox: DeliveryInbox,
  observe: ReceiverOptions['observe'] = warnOfRefusals(),
): (observation: Observation) => void {
  const tellInbox = (observation: Observation) => inbox.answered?.(observation)

  return (observation) => {
    tell(tellInbox, observation)
    tell(observe, observation)
  }
}

// A listener must not change the answer, and an async one that rejects must not end the process.
function tell(listener: (observation: Observation) => unknown, observation: Observation): void {
  try {
    const result = listener(observation)
    if (result !== undefined) Promise.resolve(result).catch(() => undefined)
  } catch {}
}
