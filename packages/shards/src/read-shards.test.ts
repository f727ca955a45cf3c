import { expect, it } from 'vitest'
import { readShards } from './read-shards.ts'

it('reads URLs, and the times from which there were more', () => {
  const text = ' postgres://a,b/feed postgres://c/feed\n2026-12-01T12:00:00Z\tpostgres://d/feed '
  expect(readShards(text)).toEqual({
    databases: ['postgres://a,b/feed', 'postgres://c/feed', 'postgres://d/feed'],
    previous: [{ shards: 2, until: '2026-12-01T12:00:00Z' }],
  })
  expect(readShards('postgres://a/feed')).toEqual({
    databases: ['postgres://a/feed'],
    previous: [],
  })
})

it.each([
  '',
  'folder',
  'postgres://a:pass word-7@b/feed',
  'postgres://a/feed 2026-13-01T12:00:00Z',
])('rejects invalid input without quoting it: %j', (text) => {
  expect(() => readShards(text)).toThrow(/^Part \d is neither a URL nor a time/)
  expect(() => readShards(text)).not.toThrow('word-7')
})
