import { fromNode } from '@feed-receiver/core/node'
import { receiver } from '../../feed-receiver'

export default defineEventHandler(async ({ node: { req, res } }) => {
  const { status, headers, body } = await receiver.receive(fromNode(req))
  res.writeHead(status, headers).end(body)
})
