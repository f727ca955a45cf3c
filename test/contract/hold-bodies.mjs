// Usage: hold-bodies.mjs <port> <sockets>, with the bytes to send on standard input. Holds so many
// connections open, each with those bytes and nothing after them, and opens each one again a second
// after it was closed. A process of its own, so that it takes no time from the server under test.
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

const [port, sockets] = process.argv.slice(2).map(Number)
const reopenMs = 1_000
const bytes = await buffer(process.stdin)

await Promise.all(Array.from({ length: sockets }, () => new Promise(hold)))
console.log('ready')

function hold(onSent) {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => onSent()))
  // The answer is read, so that the end of the connection is noticed.
  socket.resume()
  socket.on('error', () => {})
  socket.on('close', () => {
    onSent()
    setTimeout(hold, reopenMs, () => {})
  })
}
