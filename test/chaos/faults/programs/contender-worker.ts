// A worker of another contender that writes one row for each event, and dies on command.
import { armDeath, dieAt } from './die-at.ts'
import { onTermination, reportReady, takeOrders } from './orders.ts'
import type { WorkerOrder } from './run-worker.ts'
import { readSettings, type MemberSettings } from './settings.ts'
import { startContender } from './start-contender.ts'

const worker = await startContender(readSettings<MemberSettings>(), (contender) =>
  contender.work(async ({ id }, query) => {
    dieAt('in-handler')
    await query('insert into effect (event_id) values ($1)', [id])
    dieAt('after-effect')
  }),
)
takeOrders<WorkerOrder>((order) => {
  if ('die' in order) armDeath(order.die)
})
onTermination(() => worker.stop())
reportReady()
