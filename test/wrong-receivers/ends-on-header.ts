import type { AddressInfo } from 'node:net'
import { eventStore } from './event-store.ts'
import { makeReceiver } from './make-receiver.ts'
import { wrongReceivers } from './wrong-receivers.ts'

// This mistake crashes the process, so it runs as its own program. The arguments are the secrets.
const options = { secrets: process.argv.slice(2), store: eventStore() }
const server = makeReceiver(options, wrongReceivers['ends-on-header'].change)
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
