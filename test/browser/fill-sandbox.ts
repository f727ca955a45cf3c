import type { Sandbox } from '@feed-receiver/sandbox'
import { until } from '../support/until.ts'

const accountId = 'acct_sandbox'

/** Has some of everything happen in a sandbox; gives a delivery that waits for its next attempt. */
export async function fillSandbox(
  { control, url: service }: Sandbox,
  url: string,
  breakApp: () => void,
): Promise<{ scheduled: number }> {
  const { key } = await control.createKey({ accountId, name: 'My app' })
  const headers = { authorization: `Bearer ${key}` }
  for (const path of ['events?limit=5', 'events?limit=0', 'events?cursor=x', 'nowhere']) {
    await fetch(`${service}/v1/${path}`, { headers })
  }
  await fetch(`${service}/v1/events`)
  const app = await control.createDestination({ accountId, name: 'My app', url })
  const staging = { accountId, name: 'Staging', url: `${url}/staging` }
  const { id: destinationId } = await control.createDestination(staging)
  await control.testDestination({ id: app.id })
  await control.testDestination({ id: destinationId })
  await control.createDeliveryFault({ fault: 'answer_401', destinationId, times: 1 })
  await control.composeEvent({ eventType: 'outage_started' })
  await control.composeEvent({ eventType: 'model_release', confirmationState: 'unconfirmed' })
  await until('two are delivered', async () => {
    return (await control.listDeliveries({ state: 'delivered' })).length >= 2
  })
  breakApp()
  await control.createDeliveryFault({ fault: 'duplicate', times: 3 })
  await control.composeEvent({ eventType: 'pricing_changed' })
  await control.createApiFault({ surface: 'events', fault: { kind: 'delay', ms: 500 }, times: 2 })
  await until('one is scheduled again', async () => {
    return (await control.listDeliveries({ state: 'scheduled' }))[0]?.lastStatus === 503
  })
  await control.moveClock({ to: 'freeze' })
  const [waiting] = await control.listDeliveries({ state: 'scheduled' })
  return { scheduled: waiting?.id ?? 0 }
}
