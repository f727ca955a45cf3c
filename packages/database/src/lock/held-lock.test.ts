import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { takeLock } from './lock.ts'

it('leaves no listener behind, however often a folder is locked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-lock-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const before = process.listenerCount('exit')
  for (let n = 0; n < 3; n += 1) {
    const lock = await takeLock(folder, { waitMs: 1_000 })
    expect(process.listenerCount('exit')).toBe(before + 1)
    lock.assertHeld()
    lock.release()
    lock.release()
    expect(process.listenerCount('exit')).toBe(before)
  }
})

it('leaves no listener behind when the lock is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-lock-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const before = process.listenerCount('exit')
  const lock = await takeLock(folder, { waitMs: 1_000 })
  await rm(join(folder, 'lock'))
  // The holder checks once a second.
  await expect.poll(() => process.listenerCount('exit')).toBe(before)
  expect(() => lock.assertHeld()).toThrow(expect.objectContaining({ code: 'lock_lost' }))
  lock.release()
})
