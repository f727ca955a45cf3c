import { randomUUID } from 'node:crypto'
import { checkOption } from '../errors.ts'
import { toQuery } from '../requester.ts'
import { hold } from '../wait.ts'
import type { PollAlert, PollAlertCode, PollerOptions } from './poller-options.ts'

/** What all rounds of one poller have in common. */
export type PollPlace = ReturnType<typeof settleOptions>

/** Errors: `ClientError` `bad_option`. */
export function settleOptions({
  filter = {},
  account = 'default',
  intervalMs = 60_000,
  sweepIntervalMs = 3_600_000,
  probeIntervalMs = 3_600_000,
  leaseMs = 30_000,
  lastAnswer = () => null,
  onAlert = ({ message }) => process.emitWarning(message, 'FeedPollerWarning'),
  onError = (error) => process.emitWarning(String(error), 'FeedPollerWarning'),
  ...given
}: PollerOptions) {
  const times = { intervalMs, sweepIntervalMs, probeIntervalMs, leaseMs }
  for (const [name, value] of Object.entries(times)) {
    checkOption(value > 0, `${name} must be more than 0, not ${value}.`)
  }
  const { clock, baseUrl } = given.client
  const { provider, type, confirmation } = filter
  const query = toQuery({ provider, type, confirmation })
  return {
    ...given,
    ...times,
    filter,
    lastAnswer,
    onError,
    // A cursor means something for its service, account, endpoint and filter only.
    stream: `${account} ${baseUrl}/v1/events${query && `?${query}`}`,
    holder: randomUUID(),
    alerts: createAlerts(onAlert),
    /** When it was last asked whether the destination is paused, in epoch milliseconds. */
    pauseCheckedAt: clock.now(),
    /** Whether to try what only a person ends: after a restart it may have been put right. */
    isFirst: true,
    /** How many rounds in a row have failed for a passing reason. */
    failures: 0,
    now: () => clock.now(),
    hold: <T>(work: () => Promise<T>) => hold(clock, work),
  }
}

/** Tells of each thing once until it is over. */
function createAlerts(onAlert: (alert: PollAlert) => void) {
  const raised = new Set<PollAlertCode>()
  return {
    raise(alert: PollAlert): void {
      if (raised.has(alert.code)) return
      raised.add(alert.code)
      onAlert(alert)
    },
    /** Lets the next alert of what is over be told again. */
    settle(isOver: (code: PollAlertCode) => boolean): void {
      for (const code of raised) if (isOver(code)) raised.delete(code)
    },
  }
}
