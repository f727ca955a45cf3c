import { app } from '@azure/functions'
import { fromFetch } from '@feed-receiver/core'
import { receiver } from './feed.ts'

app.http('feed', {
  route: 'webhooks/feed',
  methods: ['POST'],
  authLevel: 'anonymous',
  handler: (request) => receiver.receive(fromFetch(request)),
})
