import { describe, expect, it } from 'vitest'
import { createLifecycle } from './lifecycle.ts'

describe('a lifecycle', () => {
  it('leaves nothing open after a stop that follows a start, whenever the stop before it ends', async () => {
    const { lifecycle, opened } = makeLifecycle()
    await lifecycle.start()
    const stopped = lifecycle.stop()
    const started = lifecycle.start()
    await stopped
    await lifecycle.stop()
    await started
    expect(opened.size).toBe(0)
    await expect(lifecycle.whenRunning()).rejects.toMatchObject({ code: 'not_running' })
  })

  it('opens again by a start that waits for a stop', async () => {
    const { lifecycle, opened } = makeLifecycle()
    await lifecycle.start()
    const first = await lifecycle.whenRunning()
    await Promise.all([lifecycle.stop(), lifecycle.start(), lifecycle.start()])
    expect(await lifecycle.whenRunning()).not.toBe(first)
    expect(opened.size).toBe(1)
  })
})

function makeLifecycle() {
  const opened = new Set<object>()
  const lifecycle = createLifecycle(async () => {
    const resource = {
      async close() {
        opened.delete(resource)
      },
    }
    opened.add(resource)
    return resource
  })
  return { lifecycle, opened }
}
