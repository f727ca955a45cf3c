import type { Database } from '@feed-receiver/database'
import { onTestFinished } from 'vitest'

/** Locks a table for everybody else, until it is unlocked or the test ends. */
export async function lockTable(
  database: Database,
  table: string,
): Promise<{ unlock(): Promise<void> }> {
  let onUnlock = () => {}
  let onLocked = () => {}
  const unlocked = new Promise<void>((resolve) => (onUnlock = resolve))
  const locked = new Promise<void>((resolve) => (onLocked = resolve))
  onTestFinished(onUnlock)
  const locking = database.tx(async (tx) => {
    await tx.query(`lock table ${table} in access exclusive mode`)
    onLocked()
    await unlocked
  })
  await Promise.race([locked, locking])
  return {
    async unlock() {
      onUnlock()
      await locking
    },
  }
}
