import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { eventsFile, formatEvents } from '../../../docs/.vitepress/reference/format-events.ts'

// To update it: node --import tsx --conditions=@feed-receiver/source docs/.vitepress/reference/write-events.ts
it('the event catalogue has the types and fixtures of the packages', async () => {
  expect(readFileSync(eventsFile, 'utf8')).toBe(await formatEvents())
})
