// A worker of a rival that writes one row for each event, and dies on command.
import { armDeath, dieAt } from './die-at.ts'
import { onTermination, reportReady, takeOrders } from './orders.ts'
import type { WorkerOrder } from './run-worker.ts'
import { readSettings, type MemberSettings } from './settings.ts'
import { startRival } from './start-rival.ts'

const worker = await startRival(readSettings<MemberSettings>(), (rival) =>
  rival.work(async ({ id }, query) => {
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
