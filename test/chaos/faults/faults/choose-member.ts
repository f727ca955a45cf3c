import type { OperatorOrder } from '../programs/operator.ts'
import type { Target } from '../fault.ts'
import type { Member } from '../member.ts'
import type { ReceiverOrder } from '../programs/run-receiver.ts'
import type { WorkerOrder } from '../programs/run-worker.ts'
import type { World } from '../world.ts'

/** The receiver that a fault strikes. */
export function chooseReceiver({ receivers }: World, { which }: Target): Member<ReceiverOrder> {
  return required(receivers[which])
}

/** The worker that a fault strikes. */
export function chooseWorker({ workers }: World, { which }: Target): Member<WorkerOrder> {
  return required(workers[which])
}

/** The program that pauses, reprocesses and checks alerts. */
export function chooseOperator({ operator }: World): Member<OperatorOrder> {
  return required(operator)
}

function required<T>(member: T | undefined): T {
  if (member === undefined) throw new Error('there is no process for the fault to strike')
  return member
}
