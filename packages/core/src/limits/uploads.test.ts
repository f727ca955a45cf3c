import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUploads, type Upload } from './uploads.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setup() {
  const uploads = createUploads({ maxUnfinishedBodies: 2, minBodyBytesPerSecond: 1_000 })
  const givenUp: [string, string][] = []
  const start = (name: string) => {
    const upload: Upload = {
      before: undefined,
      after: undefined,
      startedAt: performance.now(),
      receivedBytes: 0,
      giveUp(problem) {
        uploads.end(upload)
        givenUp.push([name, problem])
      },
    }
    uploads.start(upload)
    return upload
  }
  return { uploads, givenUp, start }
}

describe('unfinished bodies', () => {
  it('evicts the oldest at the limit', () => {
    const { givenUp, start } = setup()
    for (const name of ['a', 'b', 'c', 'd']) start(name)
    expect(givenUp).toEqual([
      ['a', 'body_evicted'],
      ['b', 'body_evicted'],
    ])
  })

  it('evicts none to make room for a completed body', () => {
    const { uploads, givenUp, start } = setup()
    start('a')
    uploads.end(start('b'))
    start('c')
    expect(givenUp).toEqual([])
    start('d')
    expect(givenUp).toEqual([['a', 'body_evicted']])
  })

  it('times out a body below the minimum rate, and waits for a faster one', () => {
    const { uploads, givenUp, start } = setup()
    const [slow, quick] = [start('slow'), start('quick')]
    slow.receivedBytes = 29_999
    quick.receivedBytes = 30_000
    vi.advanceTimersByTime(30_000)
    for (const upload of [slow, quick]) uploads.checkPace(upload)
    expect(givenUp).toEqual([['slow', 'body_timeout']])
  })
})
