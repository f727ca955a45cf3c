import { Action, Choose, Field, Form, useLive, useTick, type Values } from '@feed-receiver/page-kit'
import type { ActionAnswer, ActionInput } from '../../src/control/actions.ts'
import { call } from './api.ts'
import { formatDuration, formatTime, sandboxNow, setNow } from './times.tsx'

const secondMs = 1_000

const steps = [
  ['+10 s', 10 * secondMs],
  ['+1 min', 60 * secondMs],
  ['+1 h', 3_600 * secondMs],
  ['+1 day', 86_400 * secondMs],
] as const

const units = [
  ['1000', 'seconds'],
  ['60000', 'minutes'],
  ['3600000', 'hours'],
  ['86400000', 'days'],
] as const

/** The sandbox's time, which every screen shows and can move. */
export function Clock() {
  const { answer } = useLive('clock', async () => follow(await call('readClock', {})))
  useTick(250)
  return (
    <section class="clock" aria-label="Clock">
      <div class="row clock-bar">
        <div class="row">
          <strong>{formatTime(sandboxNow())}</strong>
          <span class="muted">{answer && describe(answer)}</span>
        </div>
        <div class="row clock-tools">{answer && <Moves {...answer} />}</div>
      </div>
      <details>
        <summary>Another time</summary>
        <div class="clock-forms">
          <Form label="Shift" isKept submit={shift}>
            <Field label="Shift by" name="count" type="number" required defaultValue="1" />
            <Choose label="Unit" name="unit" choices={units} chosen="3600000" />
          </Form>
          <Form label="Freeze there" isKept submit={freeze}>
            <Field label="Freeze at (UTC)" name="at" type="datetime-local" step="1" required />
          </Form>
        </div>
        <p class="hint">
          Limits, due times and rotations go by this clock. Below zero it goes back.
        </p>
      </details>
    </section>
  )
}

type Reading = ActionAnswer<'readClock'>

function Moves({ isFrozen, shiftMs }: Reading) {
  return (
    <>
      {steps.map(([label, byMs]) => (
        <Action key={label} label={label} run={() => move({ to: 'advance', byMs })} />
      ))}
      <Action
        label={isFrozen ? 'Run' : 'Freeze'}
        run={() => move({ to: isFrozen ? 'unfreeze' : 'freeze' })}
      />
      {(isFrozen || shiftMs !== 0) && (
        <Action label="Real time" run={() => move({ to: 'reset' })} />
      )}
    </>
  )
}

export async function move(to: ActionInput<'moveClock'>): Promise<void> {
  follow(await call('moveClock', to))
}

function shift({ count, unit }: Values): Promise<void> {
  return move({ to: 'shift', byMs: Number(count) * Number(unit) })
}

function freeze({ at = '' }: Values): Promise<void> {
  return move({ to: 'freeze', at: new Date(`${at}Z`).toISOString() })
}

function follow(reading: Reading): Reading {
  setNow(reading)
  return reading
}

function describe({ isFrozen, shiftMs }: Reading): string {
  if (isFrozen) return 'stands still'
  if (Math.abs(shiftMs) < secondMs) return 'real time'
  return `${formatDuration(shiftMs)} ${shiftMs > 0 ? 'ahead of' : 'behind'} real time`
}
