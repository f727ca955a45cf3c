import { receiver } from '~~/server/feed'

export default defineEventHandler(async (event) => {
  const bytes = await readRawBody(event, false)
  const { status, headers, body } = await receiver.receive({
    method: event.method,
    headers: event.headers,
    body: bytes ?? new Uint8Array(),
  })
  event.node.res.writeHead(status, headers).end(body)
})
