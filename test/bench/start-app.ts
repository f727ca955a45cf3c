/**
 * The app of the `start` benchmark in its own process. Arguments: the database, as in
 * `DATABASE_URL`, and the secret. Prints its port, and for each line of input the CPU time that it
 * has used, in seconds. It imports only packages, because `--before` copies it to other commits.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, toFetch } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createInbox } from '@feed-receiver/inbox'

const [database = '', secret = ''] = process.argv.slice(2)
const inbox = createInbox({ database })
await inbox.start()
await inbox.work({ '*': () => {} })
const receiver = createReceiver({ secrets: [secret], inbox })
const handle = toNodeHandler(toFetch(receiver))
const server = createServer((...pair) => void handle(...pair)).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log((server.address() as AddressInfo).port)
process.stdin.on('data', () => {
  const { user, system } = process.cpuUsage()
  console.log((user + system) / 1_000_000)
})
