/** Runs the instrumentation and a route of Next apps like Next, for tests without a build. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { toNodeHandler } from '@feed-receiver/core/node'

interface Instrumentation {
  register(): Promise<void>
}

interface Route {
  POST(request: Request): Promise<Response>
}

// Usage: next-server.ts <route>[,<instrumentation>]… Each app gets a port.
for (const files of process.argv.slice(2)) {
  const [route = '', instrumentation] = files.split(',')
  // Next accepts no request before this has returned.
  if (instrumentation !== undefined) await (await load<Instrumentation>(instrumentation)).register()
  const { POST } = await load<Route>(route)
  const handle = toNodeHandler(POST)
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  console.log(`listening on ${(server.address() as AddressInfo).port}`)
}

async function load<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(path).href)) as Module
}
