// The receiving app of another contender, which dies on command and can have a wrong clock.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { contenderApp } from '../../../bench/contenders/app.ts'
import type { Contender } from '../../../bench/contenders/contender.ts'
import { armDeath, dieAt } from './die-at.ts'
import { onTermination, reportReady, takeOrders } from './orders.ts'
import type { ReceiverOrder } from './run-receiver.ts'
import { readSettings, type MemberSettings } from './settings.ts'
import { startContender } from './start-contender.ts'

const settings = readSettings<MemberSettings>()
let clockOffsetSeconds = 0
const contender = await startContender({
  ...settings,
  onFirstWrite: () => dieAt('after-first-write'),
})

const app = express()
app.use((_, response, next) => {
  response.once('finish', () => dieAt('after-answer'))
  next()
})
app.use(
  contenderApp({
    keep: dying(contender),
    secrets: () => settings.secrets,
    now: () => Date.now() + clockOffsetSeconds * 1_000,
    observe({ status, error }) {
      if (status === 202) return
      const reason = error instanceof Error ? `unavailable ${error.message}` : 'outside_window'
      console.log(`answered ${status} ${reason}`)
    },
  }),
)
const server = createServer(app).listen(0, '127.0.0.1')
// A connection always goes to one receiver. New connections give work to both of them.
server.maxRequestsPerSocket = 10
await once(server, 'listening')

takeOrders<ReceiverOrder>((order) => {
  if ('die' in order) armDeath(order.die)
  if ('clockOffsetSeconds' in order) clockOffsetSeconds = order.clockOffsetSeconds
})
onTermination(async () => {
  server.close()
  server.closeIdleConnections()
  await contender.stop()
})
reportReady((server.address() as AddressInfo).port)

function dying({ keep }: Contender): Contender['keep'] {
  return async (event, body) => {
    dieAt('before-insert')
    await keep(event, body)
    dieAt('after-commit')
  }
}
