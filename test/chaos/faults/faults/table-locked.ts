import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

const lastsMs = 5_000

const waiting = `select count(*)::int as waiting from pg_locks
  where not granted and relation = 'feed_inbox.entry'::regclass`

export const tableLocked: Fault = {
  name: 'table-locked',
  describe: `the table of entries is locked for ${lastsMs / 1_000} s`,
  kind: 'other',
  holds: ['database'],
  async inject(world) {
    const holder = await world.connect()
    try {
      await holder.query('begin; lock table feed_inbox.entry in access exclusive mode')
      await withTraffic(world, () => delay(lastsMs * 0.8))
      const { rows } = await holder.query<{ waiting: number }>(waiting)
      await delay(lastsMs * 0.2)
      await holder.query('rollback')
      const count = rows[0]?.waiting ?? 0
      if (count === 0) throw new Error('nobody waited for the lock')
      return `${count} statements waited for the lock`
    } finally {
      await holder.end()
    }
  },
}
