/**
 * Serves one of these receivers until the process ends, for checks in any language. Prints its URL,
 * and a URL that answers with the number of stored events of the id behind it.
 */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { eventStore } from './event-store.ts'
import { makeReceiver, path } from './make-receiver.ts'
import { makerOf, wrongReceivers, type WrongReceiver } from './wrong-receivers.ts'

const receivers = new Map<string, WrongReceiver>(Object.entries(wrongReceivers))
const names = ['right', ...receivers.keys()]
const usage = `serve.ts <name> [--port P] [--secret S …]

  <name>      ${names.join(', ')}
  --port P    of the receiver; a free one unless it is given
  --secret S  a signing secret, repeatable; FEED_SIGNING_SECRET and FEED_SIGNING_SECRET_NEXT unless
              it is given

jsonb-is-400 stores in the PostgreSQL of DATABASE_URL, in the table jsonb_event (id text primary key,
event jsonb). The others store in memory.`

process.exitCode = await main()

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '0' },
      secret: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  })
  const [name = ''] = positionals
  const { FEED_SIGNING_SECRET, FEED_SIGNING_SECRET_NEXT, DATABASE_URL } = process.env
  const inEnvironment = [FEED_SIGNING_SECRET, FEED_SIGNING_SECRET_NEXT].filter(Boolean)
  const secrets = values.secret ?? inEnvironment.map(String)
  const port = Number(values.port)
  const isPort = Number.isInteger(port) && port >= 0 && port <= 65_535
  if (values.help) {
    console.log(usage)
    return 0
  }
  if (!names.includes(name) || secrets.length === 0 || !isPort) {
    console.error(usage)
    return 2
  }
  const store = eventStore()
  const wrong = receivers.get(name)
  const make = wrong ? makerOf(wrong) : makeReceiver
  const options = { secrets, store, ...(DATABASE_URL && { databaseUrl: DATABASE_URL }) }
  console.log(`${await listen(make(options), port)}${path}`)
  const count = async (id: string, response: ServerResponse) => {
    response.end(String(await store.count(id)))
  }
  const counter = createServer(({ url = '' }, response) => {
    void count(decodeURIComponent(url.slice('/'.length)), response)
  })
  console.log(`${await listen(counter, 0)}/`)
  return 0
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
