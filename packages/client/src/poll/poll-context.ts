import { randomUUID } from 'node:crypto'
import type { Clock } from '@feed-receiver/core/node'
import { checkOption } from '../errors.ts'
import { createProgress, type Progress } from '../progress.ts'
import { toQuery } from '../requester.ts'
import { deadlineIn, type Deadline } from '../wait.ts'
import type { PollAlert, PollAlertCode, PollerOptions } from './poller-options.ts'

/** The options that have a default. */
type Defaulted =
  | 'filter'
  | 'intervalMs'
  | 'rereadIntervalMs'
  | 'probeIntervalMs'
  | 'leaseMs'
  | 'lastAnswer'

/** The state that all rounds of one poller share. */
export interface PollContext
  extends
    Pick<PollerOptions, 'client' | 'inbox' | 'expects'>,
    Readonly<{ [Name in Defaulted]-?: NonNullable<PollerOptions[Name]> }> {
  /** The clock of the client. */
  readonly clock: Clock
  /** Reports a background error. Never throws or rejects. */
  readonly report: (error: unknown) => void
  /** A cursor is valid only for its service, account, endpoint and filter, which this names. */
  readonly stream: string
  /** Identifies this poller as the holder of the lease. */
  readonly holder: string
  readonly alerts: PollAlerts
  /** When the poller last checked for a paused destination, in epoch milliseconds. */
  pauseCheckedAt: number
  /** Whether to retry after a suspension: a person may have fixed the cause before a restart. */
  isFirst: boolean
  /** How many rounds in a row have failed with a transient error and without a page. */
  failures: number
  /** How many rounds in a row have lost their cursor. */
  cursorsLost: number
  /**
   * The latest wait that this process stored. Another process only finds its time of day, and the
   * time may have been set back since.
   */
  ownWait: { until: Date; end: Deadline } | null
  /**
   * When the next round is due; null if that depends on a person. Not computed later from the
   * `nextAt` of a round, because the time of day may be set back in between.
   */
  due: Deadline | null
  /** Of all rounds since one has read everything. */
  readonly progress: Progress
}

/** Sends each alert once, until its cause is over. Never throws or rejects. */
interface PollAlerts {
  raise(alert: PollAlert): void
  /** Resets the alerts whose cause is over, so that they can be sent again. */
  resolve(isOver: (code: PollAlertCode) => boolean): void
}

/** Errors: `ClientError` `bad_option`. */
export function createPollContext({
  filter = {},
  account = 'default',
  intervalMs = 60_000,
  rereadIntervalMs = 3_600_000,
  probeIntervalMs = 3_600_000,
  leaseMs = 30_000,
  lastAnswer = () => null,
  onAlert = ({ message }) => warn(message),
  onError,
  ...given
}: PollerOptions): PollContext {
  const times = { intervalMs, rereadIntervalMs, probeIntervalMs, leaseMs }
  for (const [name, value] of Object.entries(times)) {
    checkOption(value > 0, `${name} must be more than 0, but it is ${value}.`)
  }
  for (const [name, value] of Object.entries({ intervalMs, leaseMs })) {
    checkOption(value < 2 ** 31, `${name} must be less than 2 ** 31, but it is ${value}.`)
  }
  const { clock, baseUrl } = given.client
  const { provider, type, confirmation } = filter
  const query = toQuery({ provider, type, confirmation })
  const report = reportTo(onError ?? warnOnceAMinute(clock))
  return {
    ...given,
    ...times,
    clock,
    filter,
    lastAnswer,
    report,
    stream: `${account} ${baseUrl}/v1/events${query && `?${query}`}`,
    holder: randomUUID(),
    alerts: createAlerts(onAlert, report),
    pauseCheckedAt: clock.now(),
    isFirst: true,
    failures: 0,
    cursorsLost: 0,
    ownWait: null,
    progress: createProgress(),
    due: null,
  }
}

function warn(warning: unknown): void {
  process.emitWarning(String(warning), 'FeedPollerWarning')
}

/** Warns of the same error once a minute, because in an outage each round and renewal fails. */
function warnOnceAMinute(clock: Clock): (error: unknown) => void {
  const quiet = new Map<string, Deadline>()
  return (error) => {
    const text = String(error)
    for (const [known, { leftMs }] of quiet) if (leftMs() <= 0) quiet.delete(known)
    if (quiet.has(text)) return
    quiet.set(text, deadlineIn(60_000, clock))
    warn(error)
  }
}

/** Never throws or rejects, because an unhandled rejection would end the process. */
function reportTo(onError: (error: unknown) => unknown): (error: unknown) => void {
  const report = async (error: unknown) => onError(error)
  return (error) => void report(error).catch(() => warn(error))
}

function createAlerts(
  onAlert: (alert: PollAlert) => unknown,
  report: (error: unknown) => void,
): PollAlerts {
  const raised = new Set<PollAlertCode>()
  const send = async (alert: PollAlert) => onAlert(alert)
  return {
    raise(alert) {
      const { code } = alert
      if (raised.has(code)) return
      raised.add(code)
      send(alert).catch((error: unknown) => {
        // While the cause lasts, the next round tries again.
        raised.delete(code)
        report(error)
      })
    },
    resolve(isOver) {
      for (const code of raised) if (isOver(code)) raised.delete(code)
    },
  }
}
