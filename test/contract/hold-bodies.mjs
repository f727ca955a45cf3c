// Usage: hold-bodies.mjs <port> <sockets>, with the bytes to send on standard input. Holds so many
// connections open, sends those bytes and nothing more, and reopens each one a second after it was
// closed. A separate process, so that it takes no time from the server under test.
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

const [port, sockets] = process.argv.slice(2).map(Number)
const reopenMs = 1_000
const bytes = await buffer(process.stdin)

await Promise.all(Array.from({ length: sockets }, () => new Promise(hold)))
console.log('ready')

function hold(onSent) {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => onSent()))
  // Reads the response, to detect the end of the connection.
  socket.resume()
  socket.on('error', () => {})
  socket.on('close', () => {
    onSent()
    setTimeout(hold, reopenMs, () => {})
  })
}
