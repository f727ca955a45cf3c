import type { Queryable } from '@feed-receiver/database'
import type { SandboxClock } from '../state/clock.ts'
import { Refusal } from '../server/refusals.ts'
import type { Control } from './control.ts'

/** The control without what the service itself would not do; events still have to come from somewhere. */
export function strictControl(control: Control): Control {
  return {
    ...control,
    moveClock: async () => refuse('The clock of a strict sandbox is real time.'),
    createApiFault: async () => refuse(noFaults),
    createDeliveryFault: async () => refuse(noFaults),
    pauseDestination: async () =>
      refuse('Only an answer pauses a destination of a strict sandbox.'),
    createDestination: async (destination) =>
      await control.createDestination(withoutSecret(destination)),
    forwardTo: async (forward) => await control.forwardTo(withoutSecret(forward)),
  }
}

function withoutSecret<Given extends { secret?: string | undefined }>(given: Given): Given {
  if (given.secret === undefined) return given
  return refuse('A strict sandbox makes the signing secret itself. Leave it out.')
}

/** Real time again, and no fault rules: what a run that was not strict may have left. */
export async function endLiberties(db: Queryable, clock: SandboxClock): Promise<void> {
  await clock.reset()
  await db.query('delete from sandbox.api_fault')
  await db.query('delete from sandbox.delivery_fault')
}

const noFaults = 'Nothing can be told to fail in a strict sandbox.'

function refuse(detail: string): never {
  throw new Refusal('conflict', {
    detail: `${detail} Or start the sandbox without strict (--strict).`,
  })
}
