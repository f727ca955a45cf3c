import { lookup as lookUp } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { checkAddress, type TargetRules } from './check-address.ts'
import { withCode } from '../answer/failure.ts'
import { skipInterim } from './skip-interim.ts'

/** Finds the addresses of a host. */
export type Lookup = (hostname: string) => Promise<readonly { address: string }[]>

export interface ConnectRules extends TargetRules {
  /**
   * Finds the addresses of a host, once for each connection; every one of them is checked.
   * @default the system's
   */
  lookup?: Lookup | undefined
}

/**
 * Makes what undici connects with: the name is resolved once for each connection, every address is
 * checked, and one of exactly these is connected to, so that a name that resolves to something else a
 * moment later gains nothing (R178). Host and SNI stay those of the URL.
 *
 * @param timeoutMs Until the connection is there, TLS included.
 */
export function createConnector(rules: ConnectRules, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: checkedLookup(rules),
    // Tries one address after the other. Node gives each 250 ms, too little for a far one.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 2_000,
  })
  return (options, done) => {
    try {
      // An address is never looked up.
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

function checkedLookup(rules: ConnectRules): LookupFunction {
  const resolveName = callbackify((hostname: string) => resolve(hostname, rules))
  return (hostname, _options, done) => resolveName(hostname, done)
}

/** Every address of a name; one that is refused, among however many, refuses the host. */
async function resolve(hostname: string, { lookup = systemLookup, ...rules }: ConnectRules) {
  try {
    const found = await lookup(hostname)
    if (found.length === 0) throw withCode('ENODATA', 'The host has no address.')
    return found.map(({ address }) => {
      checkAddress(address, rules)
      return { address, family: isIP(address) }
    })
  } catch (error) {
    throw toError(error)
  }
}

/** What the system says, its hosts file included. */
const systemLookup: Lookup = (hostname) => lookUp(hostname, { all: true })

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The look-up failed.', { cause: error })
}
