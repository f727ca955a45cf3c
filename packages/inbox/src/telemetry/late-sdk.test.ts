import { expect, it, onTestFinished, vi } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { registerTelemetry } from '../../../../test/support/register-telemetry.ts'

const database = useDatabase('postgres', 'inbox')

it('loads the API once an SDK is registered, also after the start', async () => {
  // Another test of this process may have registered an SDK, and the kit then loaded the API.
  vi.resetModules()
  Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'))
  const { createInbox } = await import('../index.ts')
  const { openTelemetry } = await import('./opentelemetry.ts')
  const inbox = createInbox({ database: database() })
  await inbox.start()
  expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
  expect(openTelemetry()).toBe(undefined)

  const telemetry = registerTelemetry()
  onTestFinished(telemetry.unregister)
  await expect
    .poll(async () => {
      await inbox.accept(deliveryOf(makeEvent()))
      return telemetry.spans.getFinishedSpans().map(({ name }) => name)
    })
    .toContain('inbox accept')
  const metrics = await telemetry.collect()
  expect(metrics.map(({ descriptor }) => descriptor.name)).toContain(
    'feed_receiver.inbox.deliveries',
  )
  await inbox.stop()
})
