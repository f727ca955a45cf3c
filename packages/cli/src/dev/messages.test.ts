import { expect, it } from 'vitest'
import { describeSearch } from './messages.ts'

it('says how to name the address of an app that listens elsewhere', () => {
  const tried = [{ url: 'http://localhost:3000/webhooks/feed', answer: null }]
  expect(describeSearch(tried, { dependencies: [], routeFile: undefined })).toMatch(
    /^No app listens yet on port 3000 .*\n.* feed-receiver dev http:\/\/localhost:4000\/webhooks\/feed$/,
  )
})
