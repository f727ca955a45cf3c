import { isError } from '@feed-receiver/core/internal'
import { lookup as lookUp } from 'node:dns/promises'
import { isIP, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { checkAddress, type TargetRules } from './check-target.ts'
import { withCode } from '../answer/failure.ts'

/** Finds the addresses of a host. */
export type Lookup = (hostname: string) => Promise<readonly { address: string }[]>

export interface ConnectRules extends TargetRules {
  /**
   * Finds the addresses of a host, once per connection; the connector checks every one of them.
   * @default the system's
   */
  lookup?: Lookup | undefined
}

/**
 * Makes the `connect` function for undici. It resolves the name once per connection, checks every
 * address, and connects to one of exactly these. A DNS change after the check therefore has no
 * effect. Host and SNI stay those of the URL.
 *
 * @param timeoutMs Time limit for connecting, TLS included.
 */
export function createConnector(rules: ConnectRules, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: callbackify((hostname: string, _options: unknown) => resolve(hostname, rules)),
    // Tries one address after the other. Node's 250 ms for each are too short for a distant one.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 2_000,
  })
  return (options, done) => {
    try {
      // Node does not look up an address.
      if (isIP(options.hostname) !== 0) checkAddress(options.hostname, rules)
    } catch (error) {
      return done(toError(error), null)
    }
    connect(options, (failure, socket) => {
      if (failure) done(failure, null)
      else done(null, skipInterim(socket))
    })
  }
}

/** Resolves every address of a name; a single blocked one rejects the host. */
async function resolve(hostname: string, { lookup = systemLookup, ...rules }: ConnectRules) {
  try {
    const found = await lookup(hostname)
    if (found.length === 0) throw withCode('ENODATA', 'The host name has no address in DNS.')
    return found.map(({ address }) => {
      checkAddress(address, rules)
      return { address, family: isIP(address) }
    })
  } catch (error) {
    throw toError(error)
  }
}

/** The system's resolver, including its hosts file. */
const systemLookup: Lookup = (hostname) => lookUp(hostname, { all: true })

function toError(error: unknown): Error {
  return isError(error) ? error : new Error('The DNS lookup failed.', { cause: error })
}

/**
 * Makes a connection skip interim answers (RFC 9110, 15.2), so that undici reads only the final
 * one. A server may send `100 Continue` unasked, and undici drops a connection that receives one.
 */
function skipInterim(socket: Socket): Socket {
  const push = socket.push.bind(socket)
  let held: Buffer = nothing
  // A new answer begins with the first bytes that arrive after another write.
  let writtenBefore = -1

  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      if (held.length > 0) push(held)
      return push(null)
    }
    if (socket.bytesWritten === writtenBefore) return push(chunk)
    const { rest, isFinal } = withoutInterim(
      held.length === 0 ? chunk : Buffer.concat([held, chunk]),
    )
    held = isFinal ? nothing : rest
    if (!isFinal) return true
    writtenBefore = socket.bytesWritten
    return push(rest)
  }
  return socket
}

const nothing = Buffer.alloc(0)

/** The limit of undici for the head of an answer. */
const maxHeadBytes = 16 * 1024

/** The bytes without complete interim answers, and whether they surely belong to the final one. */
function withoutInterim(bytes: Buffer): { rest: Buffer; isFinal: boolean } {
  let rest = bytes
  while (interim.test(lineOf(rest))) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { rest, isFinal: rest.length > maxHeadBytes }
    rest = rest.subarray(end + 4)
  }
  return { rest, isFinal: !mayBeInterim(lineOf(rest)) }
}

const interim = /^HTTP\/1\.1 1\d\d/

function lineOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 12)
}

function mayBeInterim(line: string): boolean {
  return line.length < 12 && 'HTTP/1.1 1'.startsWith(line.slice(0, 10))
}
