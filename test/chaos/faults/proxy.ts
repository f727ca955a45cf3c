import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Bytes in transit. They only continue if they are forwarded. */
export interface Passing {
  bytes: Buffer
  /** `up` to the server, `down` to the client. */
  way: 'up' | 'down'
  arrivedAt: number
  forward(bytes: Buffer): void
  /** Resets both sides. */
  cut(): void
}

export type Meddle = (passing: Passing) => void | Promise<void>

/** A TCP proxy on loopback that can delay, drop and reset bytes. */
export interface Proxy {
  readonly port: number
  /** Passes all bytes to a function until `undo`. */
  meddle(meddle: Meddle): void
  unmeddle(): void
  /** Resets every connection, and returns their number. */
  cut(): number
  /** Leaves every connection open without carrying bytes any more, and returns their number. */
  silence(): number
  close(): Promise<void>
}

/** What a fault can do to bytes between any two sides. */
export type Wire = Pick<Proxy, 'meddle' | 'unmeddle' | 'cut'>

/** Several wires as one. */
export function joinWires(wires: readonly Wire[]): Wire {
  return {
    meddle: (meddle) => wires.forEach((wire) => wire.meddle(meddle)),
    unmeddle: () => wires.forEach((wire) => wire.unmeddle()),
    cut: () => wires.reduce((sum, wire) => sum + wire.cut(), 0),
  }
}

/** Each connection goes to the next of the ports that exist at that time. */
export async function startProxy(ports: () => readonly number[]): Promise<Proxy> {
  let meddle: Meddle = ({ bytes, forward }) => forward(bytes)
  const passThrough = meddle
  const pairs = new Set<{ isSilent: boolean; cut: () => void }>()
  let turn = 0

  const server = createServer((client) => {
    const open = ports()
    turn += 1
    const port = open[turn % open.length]
    if (port === undefined) client.resetAndDestroy()
    else join(client, connect(port, '127.0.0.1'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    meddle: (other) => void (meddle = other),
    unmeddle: () => void (meddle = passThrough),
    cut() {
      const count = pairs.size
      for (const pair of pairs) pair.cut()
      return count
    },
    silence() {
      for (const pair of pairs) pair.isSilent = true
      return pairs.size
    },
    async close() {
      for (const pair of pairs) pair.cut()
      server.close()
      await once(server, 'close')
    },
  }

  function join(client: Socket, upstream: Socket): void {
    const pair = { isSilent: false, cut }
    pairs.add(pair)
    carry(client, upstream, 'up')
    carry(upstream, client, 'down')
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => pairs.delete(pair))
    }

    function cut(): void {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }

    // One after the other, so that later bytes do not overtake delayed ones.
    function carry(from: Socket, to: Socket, way: 'up' | 'down'): void {
      let queue: Promise<void> = Promise.resolve()
      const forward = (bytes: Buffer) => void (to.writable && to.write(bytes))
      from.on('data', (bytes) => {
        const arrivedAt = performance.now()
        if (pair.isSilent) return
        queue = queue.then(() => meddle({ bytes, way, arrivedAt, forward, cut })).catch(cut)
      })
      from.on('end', () => {
        queue = queue.then(() => void to.end())
      })
      from.on('close', () => {
        queue = queue.then(() => to.destroySoon())
      })
    }
  }
}
