import { once } from 'node:events'
import { expect, it } from 'vitest'
import { reportTo } from './report-to.ts'

it.each([
  [
    'throws',
    () => {
      throw new Error('no log to write to')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no log to write to'))],
])('an error becomes a warning where its report %s', async (_, onError) => {
  const warned = once(process, 'warning')
  reportTo(onError)(new Error('the connection is lost'))
  expect(await warned).toMatchObject([
    { name: 'FeedInboxWarning', message: 'Error: the connection is lost' },
  ])
})
