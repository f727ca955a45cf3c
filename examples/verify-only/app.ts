import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import { createFileInbox } from './file-inbox.ts'

const receiver = createReceiver({
  secrets: secretsFromEnv(process.env),
  inbox: createFileInbox('events.jsonl'),
  observe: ({ reason, eventType, eventId }) => console.log(reason, eventType, eventId),
})
// #region serve
const server = createServer((request, response) => void answer(request, response))
server.listen(process.env.PORT ?? 3000)

async function answer(request: IncomingMessage, response: ServerResponse) {
  const { status, headers, body } = await receiver.receive(fromNode(request))
  response.writeHead(status, headers).end(body)
}
// #endregion

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
}
