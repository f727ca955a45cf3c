import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { reportTo } from './report-to.ts'

it.each([
  [
    'throws',
    () => {
      throw new Error('no log to write to')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no log to write to'))],
])('turns an error into a warning if its callback %s', async (how, onError) => {
  const warned = once(process, 'warning')
  reportTo(onError)(new Error(`the connection is lost: ${how}`))
  expect(await warned).toMatchObject([
    { name: 'FeedInboxWarning', message: `Error: the connection is lost: ${how}` },
  ])
})

it('cuts a long text', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => emit.mockRestore())
  const warned: string[] = []
  emit.mockImplementation((text) => void warned.push(String(text)))
  reportTo(() => {
    throw new Error('not now')
  })('x'.repeat(1_000_000))
  return vi.waitFor(() => expect(warned).toEqual(['x'.repeat(10_000)]))
})

it('warns once a minute about the same error without a callback', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const report = reportTo()
  const told = async (...texts: string[]) => {
    emit.mockClear()
    for (const text of texts) report(new Error(text))
    await Promise.resolve()
    return emit.mock.calls.map(([text]) => text)
  }
  expect(await told('down', 'down', 'locked', 'down')).toEqual(['Error: down', 'Error: locked'])
  vi.advanceTimersByTime(59_999)
  expect(await told('down')).toEqual([])
  vi.advanceTimersByTime(1)
  expect(await told('down', 'locked')).toEqual(['Error: down', 'Error: locked'])
})
