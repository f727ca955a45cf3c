import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { problem } from '../errors.ts'

/** What a rehearsal does about connections of handlers. */
export interface Network {
  /** Runs a handler; what it is refused is added to the list. */
  inHandler<T>(refused: Error[], run: () => T): T
  /** Runs what is ours although a handler has called it. */
  outside<T>(run: () => T): T
  /** Ends the refusals. */
  release(): void
}

/** Lets handlers connect to whatever they like. */
export const openNetwork: Network = {
  inHandler: (_, run) => run(),
  outside: (run) => run(),
  release: () => undefined,
}

/** What the handler that now runs was refused; undefined outside of handlers. */
const handler = new AsyncLocalStorage<Error[] | undefined>()

/** Undoes the patches of this process; rehearsals that run at once share them. */
let restore = () => {}
let users = 0

/**
 * Refuses handlers `fetch` and new sockets until it is released, and nobody else. A refused connection
 * fails as any other does, so that no library is surprised; the refusals are listed because a handler
 * may catch them. Connections that were open before are not noticed.
 */
export function forbidNetwork(): Network {
  users += 1
  if (users === 1) restore = patch()
  let isReleased = false
  return {
    inHandler: (refused, run) => handler.run(refused, run),
    outside: (run) => handler.run(undefined, run),
    release() {
      if (isReleased) return
      isReleased = true
      users -= 1
      if (users === 0) restore()
    },
  }
}

function patch(): () => void {
  const { fetch } = globalThis
  // oxlint-disable-next-line typescript/unbound-method -- called with its socket below
  const { connect } = Socket.prototype
  const ourFetch: typeof fetch = async (input, init) => {
    const refused = handler.getStore()
    if (!refused) return await fetch(input, init)
    throw refuse(refused, hostOf(input))
  }
  const ourConnect = function (this: Socket, ...args: unknown[]): unknown {
    const refused = handler.getStore()
    if (!refused) return Reflect.apply(connect, this, args)
    const refusal = refuse(refused, targetOf(args))
    // Later, as every other failure to connect: whoever made the socket listens by then.
    Reflect.set(this, 'connecting', true)
    setImmediate(() => this.destroy(refusal))
    return this
  }
  globalThis.fetch = ourFetch
  Reflect.set(Socket.prototype, 'connect', ourConnect)
  return () => {
    // Who has wrapped ours meanwhile keeps it; it refuses nothing any more.
    if (globalThis.fetch === ourFetch) globalThis.fetch = fetch
    if (Reflect.get(Socket.prototype, 'connect') === ourConnect) Socket.prototype.connect = connect
  }
}

function refuse(refused: Error[], target: string): Error {
  const error = problem('network_forbidden', { target })
  refused.push(error)
  return error
}

/** The host alone: the rest of a URL may be secret. */
function hostOf(input: string | URL | Request): string {
  const url = input instanceof Request ? input.url : String(input)
  return URL.canParse(url) ? new URL(url).host : 'an address that is no URL'
}

function targetOf([first, second]: readonly unknown[]): string {
  // Node itself passes all arguments as one array.
  if (Array.isArray(first)) return targetOf(first)
  if (typeof first === 'string' && !/^\d+$/.test(first)) return 'a local socket'
  if (typeof first !== 'object' || first === null) return toHost(second, first)
  if ('path' in first && typeof first.path === 'string') return 'a local socket'
  const member = (name: string): unknown => Reflect.get(first, name)
  return toHost(member('host'), member('port'))
}

function toHost(host: unknown, port: unknown): string {
  return `${typeof host === 'string' ? host : 'localhost'}:${String(port)}`
}
