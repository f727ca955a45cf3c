import { createInbox } from '@feed-receiver/inbox'
import { metricsHandler } from '@feed-receiver/inbox/metrics'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { useDatabase } from '../../../test/support/databases.ts'
import { registerTelemetry } from '../../../test/support/register-telemetry.ts'
import { shardInbox } from './index.ts'

const database = useDatabase('postgres')

it('measures each shard, and the sharded inbox as one', async () => {
  const telemetry = registerTelemetry()
  const schemas = ['one', 'two', 'three']
  const inboxes = schemas.map((schema) =>
    createInbox({ database: database(), schema, instance: schema }),
  )
  const inbox = shardInbox(inboxes)
  onTestFinished(async () => {
    await inbox.stop()
    await telemetry.unregister()
  })
  await inbox.start()
  for (let stored = 0; stored < 12; stored += 1) await inbox.accept(deliveryOf(makeEvent()))
  const counts = await Promise.all(inboxes.map((one) => one.entries.count()))
  expect(Math.max(...counts.map(({ count }) => count))).toBeLessThan(12)

  const measured = await telemetry.collect()
  const backlog = measured.find(({ descriptor }) => descriptor.name.endsWith('.backlog'))
  const waiting = backlog?.dataPoints.flatMap(({ attributes, value }) =>
    attributes['feed.state'] === 'waiting' ? [[attributes['feed.instance'], value] as const] : [],
  )
  expect(new Map(waiting)).toEqual(
    new Map(schemas.map((schema, index) => [schema, counts[index]?.count])),
  )

  const answer = await metricsHandler(inbox)(new Request('http://localhost/metrics'))
  const lines = (await answer.text()).split('\n')
  expect(lines).toContain('feed_receiver_inbox_backlog{feed_source="feed",feed_state="waiting"} 12')
}, 60_000)
