/** Usage: run-trap.ts <file> <trap>. Serves a receiver in that way, and prints its port. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, type Receiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'

type StartServer = (receiver: Receiver, port: number) => Promise<Server>

const [file = '', trap = ''] = process.argv.slice(2)
const traps = (await import(file)) as Record<string, StartServer>
const receiver = createReceiver({
  secrets: ['feed_whsec_run_trap_0123456789abcdef'],
  inbox: memoryInbox(),
  observe: () => {},
})
const server = await traps[trap]?.(receiver, 0)
if (!server) throw new Error(`${file} exports no ${trap}.`)
if (!server.listening) await once(server, 'listening')
// The address of a TCP server that listens always has this form.
console.log((server.address() as AddressInfo).port)
