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

  it('evicts nobody for a body that is complete', () => {
    const { uploads, givenUp, start } = setup()
    start('a')
    uploads.end(start('b'))
    start('c')
    expect(givenUp).toEqual([])
    start('d')
    expect(givenUp).toEqual([['a', 'body_evicted']])
  })

  it('ends a body that is slower than the least pace', () => {
    const { givenUp, start } = setup()
    start('a').receivedBytes = 2_999
    vi.advanceTimersByTime(2_900)
    expect(givenUp).toEqual([])
    vi.advanceTimersByTime(400)
    expect(givenUp).toEqual([['a', 'body_timeout']])
  })

  it('waits for a body for as long as it keeps the pace', () => {
    const { givenUp, start } = setup()
    const upload = start('a')
    for (let seconds = 0; seconds < 30; seconds += 1) {
      upload.receivedBytes += 1_100
      vi.advanceTimersByTime(1_000)
    }
    expect(givenUp).toEqual([])
    vi.advanceTimersByTime(7_000)
    expect(givenUp).toEqual([['a', 'body_timeout']])
  })

  it('leaves no timer running once all bodies are complete', () => {
    const { uploads, start } = setup()
    for (const name of ['a', 'b']) uploads.end(start(name))
    vi.advanceTimersByTime(250)
    expect(vi.getTimerCount()).toBe(0)
  })
})
