import {
  Action,
  Choose,
  Field,
  Form,
  formatDuration,
  useLive,
  useTick,
} from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { formatTime, sandboxNow, setNow } from './times.tsx'

const secondMs = 1_000

const units = [
  [String(secondMs), 'seconds'],
  ['60000', 'minutes'],
  ['3600000', 'hours'],
  ['86400000', 'days'],
] as const

/** The sandbox's clock, which every screen shows and can move. */
export function Clock() {
  const { answer } = useLive('clock', async () => showReading(await call('readClock', {})))
  useTick(250)
  return (
    <section class="clock" aria-label="Clock">
      <div class="row clock-bar">
        <div class="row">
          <strong>{formatTime(sandboxNow())}</strong>
          <span class="muted">{answer && clockState(answer)}</span>
        </div>
        <div class="row clock-tools">
          {answer &&
            movesOf(answer).map(([label, to]) => (
              <Action key={label} label={label} run={() => move(to)} />
            ))}
        </div>
      </div>
      <details>
        <summary>Another time</summary>
        <div class="clock-forms">
          <Form
            label="Shift"
            isKept
            submit={({ count, unit }) => move({ to: 'shift', byMs: Number(count) * Number(unit) })}
          >
            <Field label="Shift by" name="count" type="number" required defaultValue="1" />
            <Choose label="Unit" name="unit" choices={units} chosen="3600000" />
          </Form>
          <Form
            label="Freeze at this time"
            isKept
            submit={({ at = '' }) => move({ to: 'freeze', at: new Date(`${at}Z`).toISOString() })}
          >
            <Field label="Freeze at (UTC)" name="at" type="datetime-local" step="1" required />
          </Form>
        </div>
        <p class="hint">
          Limits, due times and rotations follow this clock. A negative number moves it back.
        </p>
      </details>
    </section>
  )
}

type Reading = ActionAnswer<'readClock'>
type Move = ActionInput<'moveClock'>

function movesOf({ isFrozen, shiftMs }: Reading): [label: string, to: Move][] {
  const advance = (byMs: number): Move => ({ to: 'advance', byMs })
  return [
    ['+10 s', advance(10 * secondMs)],
    ['+1 min', advance(60 * secondMs)],
    ['+1 h', advance(3_600 * secondMs)],
    ['+1 day', advance(86_400 * secondMs)],
    isFrozen ? ['Run', { to: 'unfreeze' }] : ['Freeze', { to: 'freeze' }],
    ...(isFrozen || shiftMs !== 0 ? [['Real time', { to: 'reset' }] as [string, Move]] : []),
  ]
}

export async function move(to: Move): Promise<void> {
  showReading(await call('moveClock', to))
}

function showReading(reading: Reading): Reading {
  setNow(reading)
  return reading
}

function clockState({ isFrozen, shiftMs }: Reading): string {
  if (isFrozen) return 'frozen'
  if (Math.abs(shiftMs) < secondMs) return 'real time'
  return `${formatDuration(shiftMs)} ${shiftMs > 0 ? 'ahead of' : 'behind'} real time`
}
