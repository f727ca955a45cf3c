import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { chooseReceiver } from './choose-member.ts'
import { withTraffic } from './with-traffic.ts'

const busy = `select count(*)::int as busy from pg_stat_activity
  where wait_event = 'PgSleep' and application_name = $1`

/** The default pool size of an inbox. */
const poolSize = 10

export const poolExhausted: Fault = {
  name: 'pool-exhausted',
  describe: 'other code holds all connections of a receiver, and requests more',
  promise: 'A delivery without a connection is answered in time, and retried.',
  kind: 'other',
  holds: ['receiver', 'database'],
  async inject(world, target) {
    const receiver = chooseReceiver(world, target)
    const countBusy = async () => {
      const [row] = await world.sql<{ busy: number }>(busy, [receiver.name])
      return row?.busy ?? 0
    }
    await receiver.send({ hogSeconds: 4 })
    await until('the pool is exhausted', async () => (await countBusy()) === poolSize)
    await withTraffic(world, () =>
      until('the pool is free again', async () => (await countBusy()) === 0, { withinMs: 30_000 }),
    )
    return `all ${poolSize} connections of ${receiver.name} were held by other code`
  },
}
