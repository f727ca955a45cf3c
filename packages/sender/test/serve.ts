import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { onTestFinished } from 'vitest'

export interface Arrival {
  method: string
  path: string
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: Buffer
}

/** A real receiver on loopback for one test; `answer` gets the number of the request. */
export async function serve(
  answer: (response: ServerResponse, number: number, arrival: Arrival) => void,
): Promise<{ url: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = []
  const server = createServer((request, response) => {
    void take(request, response)
  })
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    const { method = '', url: path = '', headers, rawHeaders } = request
    const arrival = { method, path, headers, rawHeaders, body }
    arrivals.push(arrival)
    answer(response, arrivals.length, arrival)
  }
  onTestFinished(() => {
    server.closeAllConnections()
  })
  return { url: `${await listen(server)}/feed`, arrivals }
}

/** A TCP server for answers that `node:http` cannot send; called when a request starts. */
export async function serveRaw(onRequest: (socket: Socket) => void): Promise<{ url: string }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => onRequest(socket))
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return { url: `${await listen(server)}/feed` }
}

/** The address of a port on which nothing listens. */
export async function closedPort(): Promise<string> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/feed`
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
