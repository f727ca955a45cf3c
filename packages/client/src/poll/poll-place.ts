import type { Alerts } from './poll-alert.ts'
import type { PollStream } from './poll-inbox.ts'
import type { PollerOptions } from './poller-options.ts'

type Settled<Options> = { [Name in keyof Options]-?: Exclude<Options[Name], undefined> }

type Settings = Settled<Omit<PollerOptions, 'account' | 'expects' | 'onAlert' | 'onError'>>

/** What all rounds of one poller have in common. */
export interface PollPlace extends Settings, Pick<PollerOptions, 'expects'> {
  stream: string
  holder: string
  alerts: Alerts
  /** When it was last asked whether the destination is paused, in epoch milliseconds. */
  pauseCheckedAt: number
  /** Told of each try to take the lease. */
  onTake: (taken: PollStream | null) => void
  /** Keeps a clock that can be moved where it is while something takes real time. */
  hold<T>(work: () => Promise<T>): Promise<T>
}
