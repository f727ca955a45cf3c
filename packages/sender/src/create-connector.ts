import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { checkAddress, type TargetRules } from './check-address.ts'
import { resolveTarget, type Lookup } from './resolve-target.ts'
import { skipInterim } from './skip-interim.ts'

export interface ConnectorOptions extends TargetRules {
  lookup?: Lookup | undefined
  /** Until the connection is there, TLS included. */
  timeoutMs: number
}

/**
 * Makes what undici connects with: the name is resolved once for each connection, every address is
 * checked, and one of exactly these is connected to, so that a name that resolves to something else a
 * moment later gains nothing (R178). Host and SNI stay those of the URL.
 */
export function createConnector({
  timeoutMs,
  ...rules
}: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: checkedLookup(rules),
    // Tries one address after the other. Node gives each 250 ms, too little for a far one.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 2_000,
  })
  return (options, done) => {
    // An address is never looked up.
    const error = isIP(options.hostname) === 0 ? null : findRefusal(options.hostname, rules)
    if (error) return done(error, null)
    connect(options, (failure, socket) => {
      if (failure) done(failure, null)
      else done(null, skipInterim(socket))
    })
  }
}

function checkedLookup(rules: Omit<ConnectorOptions, 'timeoutMs'>): LookupFunction {
  return (hostname, _options, done) => void look(hostname, done)

  async function look(hostname: string, done: Parameters<LookupFunction>[2]): Promise<void> {
    const { error, addresses } = await resolveTarget(hostname, rules).then(
      (found) => ({ error: null, addresses: found }),
      (cause: unknown) => ({ error: toError(cause), addresses: [] }),
    )
    done(error, addresses)
  }
}

function findRefusal(address: string, rules: TargetRules): Error | null {
  try {
    checkAddress(address, rules)
    return null
  } catch (error) {
    return toError(error)
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The look-up failed.', { cause: error })
}
