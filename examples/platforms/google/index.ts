import { http } from '@google-cloud/functions-framework'
import { fromNode } from '@feed-receiver/core/node'
import { receiver } from './feed.ts'

http('feed', async (request, response) => {
  const { status, headers, body } = await receiver.receive(fromNode(request))
  response.writeHead(status, headers).end(body)
})
