import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves on a free port and prints it. */
export async function serve(listener: RequestListener): Promise<void> {
  // Longer than a contender waits for its turn: a closed connection ends its load.
  const server = createServer({ keepAliveTimeout: 600_000 }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  console.log((server.address() as AddressInfo).port)
}
