/**
 * A flood in its own process: whole bodies of 1 MiB with a forged signature. Arguments: the port,
 * the number of connections, and the MiB per second of all together. Prints a line once it runs.
 */
import { connect } from 'node:net'

const mebibyte = 1_048_576
const [port = 0, connections = 0, mebibytesPerSecond = 0] = process.argv.slice(2).map(Number)
const head = [
  'POST /webhooks/feed HTTP/1.1',
  'host: localhost',
  `feed-signature: t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`,
  `content-length: ${mebibyte}`,
  '',
  '',
].join('\r\n')
const request = Buffer.concat([Buffer.from(head), Buffer.alloc(mebibyte, 'x')])
const startedAt = performance.now()
let sent = 0

for (let count = 0; count < connections; count += 1) open()
setTimeout(() => console.log('running'), 1_000)

function open(): void {
  const socket = connect(port, '127.0.0.1')
  const send = () => {
    const seconds = (performance.now() - startedAt) / 1_000
    if (socket.destroyed) return
    if (sent > seconds * mebibytesPerSecond) {
      setTimeout(send, 5)
      return
    }
    sent += 1
    socket.write(request)
  }
  socket.on('connect', send)
  // The whole answer is a single chunk, because it is short.
  socket.on('data', send)
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(open, 20))
}
