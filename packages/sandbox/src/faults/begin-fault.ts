import { setTimeout as delay } from 'node:timers/promises'
import { Refusal } from '../server/refusals.ts'
import type { ApiFault } from './api-faults.ts'

/** Does what a fault does before there is an answer: wait, or refuse. */
export async function beginFault(fault: ApiFault): Promise<void> {
  if (fault.kind === 'delay') await delay(fault.ms)
  if (fault.kind !== 'status') return
  const detail = 'A fault rule of the sandbox asked for this answer.'
  throw new Refusal(fault.status === 500 ? 'failed' : 'unavailable', { detail })
}
