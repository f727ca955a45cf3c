/**
 * Receives and handles with several shards, and prints its port. Arguments, as JSON: the options of
 * the shards, and how many there were before and until when.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, toFetch } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createInbox } from '@feed-receiver/inbox'
import { shardInbox } from '@feed-receiver/shards'
import { openShard, type NamedShard } from './open-shard.ts'

const [shards = '[]', previous = '[]'] = process.argv.slice(2)
const secret = process.env.FEED_SIGNING_SECRET ?? ''
const onError = () => {}

const inbox = shardInbox(
  JSON.parse(shards).map((shard: NamedShard, index: number) =>
    createInbox({ ...openShard(shard), instance: String(index + 1), onError }),
  ),
  { previous: JSON.parse(previous), onError },
)
await inbox.start()
await inbox.work(
  { '*': ({ id }, { tx }) => tx.query('insert into handled values ($1)', [id]) },
  { onFailed: () => {} },
)
const receiver = createReceiver({ secrets: [secret], inbox, observe: () => {} })
const handle = toNodeHandler(toFetch(receiver))
const server = createServer((request, response) => void handle(request, response))
await once(server.listen(0, '127.0.0.1'), 'listening')
console.log((server.address() as AddressInfo).port)
process.once('SIGTERM', () => void stop())

async function stop(): Promise<void> {
  server.close()
  await receiver.stop()
  await inbox.stop()
  process.exit(0)
}
