import { setTimeout as delay } from 'node:timers/promises'
import type { Tx } from '@feed-receiver/database'

/** Two locks that are taken in either order. */
const [left, right] = [0x1ef7, 0x419]

/** What a handler may do to those with which it shares a transaction. */
const disturbances: Record<string, (tx: Tx) => Promise<unknown>> = {
  throw: () => Promise.reject(new Error('disturbed')),
  fail: (tx) => tx.query('select 1 / 0'),
  catch: (tx) => tx.query('select 1 / 0').catch(() => undefined),
  hang: () => delay(1_500),
  block: async () => blockFor(1_200),
  slow: () => delay(300),
  wait: (tx) => tx.query('select pg_sleep(2)'),
  defer: async (tx) => {
    await tx.query(
      'create temp table twice (id int unique deferrable initially deferred) on commit drop',
    )
    await tx.query('insert into twice values (1), (1)')
  },
  deadlock: (tx) => lockBoth(tx, Math.random() < 0.5 ? [left, right] : [right, left]),
  set: (tx) => tx.query(`select set_config('app.tenant', 'other', true)`),
  commit: (tx) => tx.executeSql('select 1; commit'),
}

/** Whether this handler shares its transaction, which then has a shorter time limit. */
export async function isShared(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ limit: string }>(
    `select current_setting('statement_timeout') as limit`,
  )
  return rows[0]?.limit === '1s'
}

/** Disturbs the shared transaction of a handler, one way after the other from one of them on. */
export function createDisturbance(first: number): (tx: Tx) => Promise<void> {
  const names = Object.keys(disturbances)
  let disturbed = first

  return async (tx) => {
    const name = names[disturbed % names.length] ?? ''
    disturbed += 1
    console.log(`disturbs: ${name}`)
    await disturbances[name]?.(tx)
  }
}

async function lockBoth(tx: Tx, keys: readonly number[]): Promise<void> {
  for (const key of keys) {
    await tx.query('select pg_advisory_xact_lock($1)', [key])
    await delay(5)
  }
}

function blockFor(ms: number): void {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}
