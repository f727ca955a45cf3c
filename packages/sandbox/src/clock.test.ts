import { describe, expect, it } from 'vitest'
import { filledKinds, createTarget } from '../../../test/support/databases.ts'
import { startSandbox, useSandbox } from '../test/use-sandbox.ts'

describe.each(filledKinds)('the clock on %s', (kind) => {
  const made = useSandbox({}, kind)

  it('runs with real time plus its shift', async () => {
    const { control } = made().sandbox
    const before = Date.now()
    const { now, shiftMs, isFrozen } = await control.moveClock({ to: 'shift', byMs: 86_400_000 })
    expect(now.getTime()).toBeGreaterThanOrEqual(before + 86_400_000 - 1000)
    expect([shiftMs, isFrozen]).toEqual([86_400_000, false])
    expect(await control.moveClock({ to: 'reset' })).toMatchObject({ shiftMs: 0, isFrozen: false })
  })

  it('freezes, advances and continues from there', async () => {
    const { control } = made().sandbox
    const at = '2026-11-30T23:59:59.999Z'
    expect((await control.moveClock({ to: 'freeze', at })).now.toISOString()).toBe(at)
    const moved = await control.moveClock({ to: 'advance', byMs: 1 })
    expect(moved.now.toISOString()).toBe('2026-12-01T00:00:00.000Z')
    expect((await control.readClock()).now).toEqual(moved.now)
    const freed = await control.moveClock({ to: 'unfreeze' })
    expect(freed.isFrozen).toBe(false)
    expect(freed.now.getTime() - moved.now.getTime()).toBeLessThan(60_000)
    await control.moveClock({ to: 'reset' })
  })

  it('rejects moves outside the years 1970 to 9998', async () => {
    const { sandbox, act } = made()
    const { control } = sandbox
    await control.moveClock({ to: 'freeze', at: '9998-12-31T23:59:59.000Z' })
    const { now } = await control.readClock()
    for (const move of [
      { to: 'advance', byMs: 1000 },
      { to: 'shift', byMs: Number.MAX_SAFE_INTEGER },
      { to: 'shift', byMs: Number.MIN_SAFE_INTEGER },
      { to: 'freeze', at: '9999-01-01T00:00:00Z' },
      { to: 'freeze', at: '1969-12-31T23:59:59Z' },
      { to: 'freeze', at: '0000-01-01T00:00:00Z' },
      { to: 'freeze', at: '2026-01-01T00:00:00+16:00' },
    ]) {
      const { status, body } = await act('move-clock', move)
      expect([move, status, body.code]).toEqual([move, 400, 'invalid_request'])
    }
    expect((await control.readClock()).now).toEqual(now)
    const { usage } = (await made().get('/v1/events')).body
    expect(usage).toMatchObject({ period: '9998-12', resetsAt: '9999-01-01T00:00:00.000Z' })
    await control.moveClock({ to: 'reset' })
  })
})

describe('a restart', () => {
  it('keeps the clock', async () => {
    const { target, drop } = await createTarget('postgres')
    const first = await startSandbox({ database: target })
    const at = '2027-01-01T00:00:00.000Z'
    await first.sandbox.control.moveClock({ to: 'freeze', at })
    await first.sandbox.stop()

    const second = await startSandbox({ database: target })
    expect((await second.sandbox.control.readClock()).now.toISOString()).toBe(at)
    await second.sandbox.stop()
    await drop()
  })
})
