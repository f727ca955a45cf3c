import type { Observation } from '../delivery.ts'
import { afterStatus, neverSentReasons, reasons, type Reason, type Rejected } from '../reasons.ts'
import { causeOf } from './cause-of.ts'

const quietMs = 60_000

/**
 * Makes the default observer of receivers. It warns of the first rejection for each reason, and
 * then at most once a minute, with the number of rejections since.
 */
export function warnOfRejections(print = printWarning): (observation: Observation) => void {
  const warned = new Map<Reason, { at: number; since: number }>()

  return (observation) => {
    const { reason } = observation
    if (!isRejected(reason) || reason === 'shutting_down') return
    const now = performance.now()
    const last = warned.get(reason)
    if (last && now - last.at < quietMs) {
      last.since += 1
      return
    }
    warned.set(reason, { at: now, since: 0 })
    print(describe(observation, reason, (last?.since ?? 0) + 1))
  }
}

function describe(observation: Observation, reason: Rejected, count: number): string {
  const { status } = observation
  const subject = count === 1 ? 'A delivery was' : `${count} more deliveries were`
  const isPaused = afterStatus(status) === 'pause' && !neverSentReasons.includes(reason)
  const paused = isPaused ? `The service pauses the feed after a ${status}.` : null
  const cause = causeOf(observation)
  const rejected = `${subject} rejected with ${status} (${reason}).`
  const parts = [rejected, paused, cause, reasons[reason].fix]
  return parts.filter((part) => part !== null).join(' ')
}

function isRejected(reason: Reason): reason is Rejected {
  return reasons[reason].error !== undefined
}

// Some runtimes have no process that can warn.
function printWarning(text: string): void {
  if (typeof globalThis.process?.emitWarning === 'function') {
    process.emitWarning(text, 'FeedReceiverWarning')
    return
  }
  // oxlint-disable-next-line no-console -- there is nowhere else to say it
  console.warn(text)
}
