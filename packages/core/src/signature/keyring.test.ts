import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { clearDeadline, startDeadline } from '../limits/deadline.ts'
import { readSecrets } from './hmac.node.ts'
import { createKeyring, type SecretProvider } from './keyring.ts'

const first = 'feed_whsec_first_0123456789'
const second = 'feed_whsec_second_0123456789'

function setup() {
  const state = { time: 0, calls: 0, secrets: [first], isDown: false }
  const provide = async () => {
    state.calls += 1
    if (state.isDown) throw new Error('The vault is sealed.')
    return state.secrets
  }
  const keyring = keyringOf(provide, () => state.time)
  const deadline = startDeadline(5_000)
  onTestFinished(() => clearDeadline(deadline))
  return { state, keyring, deadline }
}

function keyringOf(provide: SecretProvider, now: () => number, patienceMs?: number) {
  return createKeyring(provide, {
    readSecrets,
    now,
    maxAgeSeconds: 60,
    lostAfterMs: 9_000,
    ...(patienceMs !== undefined && { patienceMs }),
  })
}

/** A keyring whose first call of the provider never ends. */
function setupHanging(patienceMs?: number) {
  const state = { time: 0, calls: 0 }
  const provide = () => {
    state.calls += 1
    return state.calls === 1 ? new Promise<never>(() => {}) : [first]
  }
  return { state, keyring: keyringOf(provide, () => state.time, patienceMs) }
}

function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a keyring with a provider', () => {
  it('is empty until the first call, which all waiting deliveries share', async () => {
    const { state, keyring, deadline } = setup()
    const waiting = await Promise.all([1, 2, 3].map(async () => await keyring.current(deadline)))
    expect(waiting.map((secrets) => secrets.length)).toEqual([1, 1, 1])
    expect(state.calls).toBe(1)
    expect(keyring.current(deadline)).toHaveLength(1)
  })

  it('renews secrets in the background once they are too old', async () => {
    const { state, keyring, deadline } = setup()
    const before = await keyring.renew(deadline)
    state.secrets = [second]
    state.time = 61_000
    expect(keyring.current(deadline)).toBe(before)
    expect(state.calls).toBe(2)
    await expect.poll(() => keyring.current(deadline)).not.toBe(before)
  })

  it('waits for new secrets if nothing has asked for them for long', async () => {
    const { state, keyring, deadline } = setup()
    const before = await keyring.renew(deadline)
    state.secrets = [second]
    state.time = 121_000
    const [one, other] = await Promise.all([1, 2].map(async () => await keyring.current(deadline)))
    expect(one).not.toBe(before)
    expect(other).toBe(one)
    expect(keyring.current(deadline)).toBe(one)
    expect(state.calls).toBe(2)
  })

  it('does not wait again while the provider fails', async () => {
    const { state, keyring, deadline } = setup()
    const before = await keyring.renew(deadline)
    state.isDown = true
    state.time = 500_000
    expect(await keyring.current(deadline)).toBe(before)
    state.time = 502_000
    expect(keyring.current(deadline)).toBe(before)
    expect(state.calls).toBe(3)
    state.isDown = false
    state.secrets = [second]
    state.time = 504_000
    expect(keyring.current(deadline)).toBe(before)
    await expect.poll(() => keyring.current(deadline)).not.toBe(before)
  })

  it('does not renew before the secrets are too old again', async () => {
    const { state, keyring, deadline } = setup()
    state.time = 100_000
    await keyring.renew(deadline)
    for (const seconds of [2, 30, 60]) {
      state.time = 100_000 + seconds * 1_000
      void keyring.current(deadline)
    }
    expect(state.calls).toBe(1)
    state.time = 161_000
    void keyring.current(deadline)
    expect(state.calls).toBe(2)
  })

  it('keeps the last secrets while the provider fails, and reports the cause', async () => {
    const { state, keyring, deadline } = setup()
    const before = await keyring.renew(deadline)
    state.isDown = true
    state.time = 61_000
    expect(keyring.current(deadline)).toBe(before)
    await expect.poll(() => keyring.error).toMatchObject({ message: 'The vault is sealed.' })
    expect(keyring.current(deadline)).toBe(before)
    expect(await keyring.renew(deadline)).toEqual([])
    state.isDown = false
    state.time += 1_000
    expect(await keyring.renew(deadline)).toHaveLength(1)
    expect(keyring.error).toBeUndefined()
  })

  it('calls the provider at most once a second for forged signatures', async () => {
    const { state, keyring, deadline } = setup()
    for (let count = 0; count < 100; count += 1) await keyring.renew(deadline)
    expect(state.calls).toBe(1)
    state.time = 1_000
    for (let count = 0; count < 100; count += 1) await keyring.renew(deadline)
    expect(state.calls).toBe(2)
  })

  it('calls a failing provider at most once a second, and reports that it has no secrets', async () => {
    const { state, keyring, deadline } = setup()
    await keyring.renew(deadline)
    state.isDown = true
    state.time = 61_000
    for (let count = 0; count < 100; count += 1) {
      void keyring.current(deadline)
      expect(await keyring.renew(deadline)).toEqual([])
    }
    expect(state.calls).toBe(2)
  })

  it('calls the provider again after the clock moves back', async () => {
    const { state, keyring, deadline } = setup()
    state.time = 400_000
    await keyring.renew(deadline)
    state.time = 0
    await keyring.renew(deadline)
    expect(state.calls).toBe(2)
  })

  it('treats a list with an invalid secret as a failure', async () => {
    const { state, keyring, deadline } = setup()
    state.secrets = [first, '']
    expect(await keyring.renew(deadline)).toEqual([])
    expect(keyring.error).toMatchObject({ code: 'bad_secret' })
  })

  it('stops waiting for a hanging provider at the deadline', async () => {
    const { keyring } = setupHanging()
    expect(await keyring.renew(startDeadline(10))).toEqual([])
  })

  it('gives up a hanging call, reports it, and calls again', async () => {
    const { state, keyring } = setupHanging(10)
    expect(await keyring.renew(startDeadline(5_000))).toEqual([])
    expect(keyring.error).toMatchObject({ code: 'secrets_late' })
    state.time = 1_000
    const deadline = startDeadline(5_000)
    expect(await keyring.renew(deadline)).toHaveLength(1)
    clearDeadline(deadline)
  })

  it('asks again after a runtime has dropped the request that asked', async () => {
    useFakeTimers()
    const { state, keyring } = setupHanging()
    void keyring.renew(startDeadline(8_000))
    vi.clearAllTimers()
    state.time = 6_001
    expect(await keyring.renew(startDeadline(8_000))).toHaveLength(1)
  })

  it('waits for the later call after an earlier one was frozen and times out', async () => {
    useFakeTimers()
    const state = { time: 0, calls: 0 }
    let answer = (_secrets: string[]) => {}
    const provide = () => {
      state.calls += 1
      return new Promise<string[]>((resolve) => (answer = resolve))
    }
    const keyring = keyringOf(provide, () => state.time)
    const frozen = keyring.renew(startDeadline(8_000))
    await vi.advanceTimersByTimeAsync(4_900)
    state.time = 6_001
    const later = keyring.renew(startDeadline(8_000))
    await vi.advanceTimersByTimeAsync(500)
    expect(await frozen).toEqual([])
    expect(keyring.error).toBeUndefined()
    const latest = keyring.renew(startDeadline(8_000))
    answer([first])
    expect([await later, await latest].map((secrets) => secrets.length)).toEqual([1, 1])
    expect(state.calls).toBe(2)
  })

  it('counts no delivery that a runtime has dropped as waiting', async () => {
    useFakeTimers()
    let time = 0
    const never = new Promise<never>(() => {})
    const keyring = keyringOf(
      () => (time === 0 ? never : [first]),
      () => time,
    )
    for (let count = 0; count < 256; count += 1) void keyring.renew(startDeadline(8_000))
    vi.clearAllTimers()
    time = 9_001
    vi.advanceTimersByTime(9_001)
    expect(await keyring.renew(startDeadline(8_000))).toHaveLength(1)
  })

  it('lets at most 256 deliveries wait for the provider', async () => {
    let release = () => {}
    const given = new Promise<string[]>((resolve) => (release = () => resolve([first])))
    const keyring = keyringOf(
      () => given,
      () => 0,
    )
    const waiting = Array.from({ length: 256 }, () => {
      const deadline = startDeadline(5_000)
      return keyring.renew(deadline).finally(() => clearDeadline(deadline))
    })
    const late = startDeadline(5_000)
    expect(await keyring.renew(late)).toEqual([])
    release()
    for (const secrets of await Promise.all(waiting)) expect(secrets).toHaveLength(1)
    expect(await keyring.renew(late)).toHaveLength(1)
    clearDeadline(late)
  })
})
