import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { OperateError } from '../errors.ts'

/** How a rehearsal treats connections of handlers. */
export interface Network {
  /** Runs a handler. Rejected connections are added to the list. */
  inHandler<T>(rejected: Error[], run: () => T): T
  /** Runs our own code although a handler has called it. */
  outside<T>(run: () => T): T
  /** Ends the rejections. */
  release(): void
}

/** Lets handlers connect anywhere. */
export const openNetwork: Network = {
  inHandler: (_, run) => run(),
  outside: (run) => run(),
  release: () => undefined,
}

/** The rejected connections of the running handler; undefined outside of handlers. */
const handler = new AsyncLocalStorage<Error[] | undefined>()

/** Undoes the patches of this process. Concurrent rehearsals share them. */
let restore = () => {}
let users = 0

/**
 * Rejects `fetch` and new sockets in handlers, and only there, until it is released. A rejected
 * connection fails like any other, so that no library is surprised. The rejections are listed,
 * because a handler may catch them. Existing connections are not detected.
 */
export function forbidNetwork(): Network {
  users += 1
  if (users === 1) restore = patch()
  let isReleased = false
  return {
    inHandler: (rejected, run) => handler.run(rejected, run),
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
    const rejected = handler.getStore()
    if (!rejected) return await fetch(input, init)
    throw reject(rejected, hostOf(input))
  }
  const ourConnect = function (this: Socket, ...args: unknown[]): unknown {
    const rejected = handler.getStore()
    if (!rejected) return Reflect.apply(connect, this, args)
    const rejection = reject(rejected, targetOf(args))
    // Later, like every other failure to connect: by then the caller has added its listeners.
    Reflect.set(this, 'connecting', true)
    setImmediate(() => this.destroy(rejection))
    return this
  }
  globalThis.fetch = ourFetch
  Reflect.set(Socket.prototype, 'connect', ourConnect)
  return () => {
    // If other code has wrapped our `fetch` meanwhile, it stays, and rejects nothing any more.
    if (globalThis.fetch === ourFetch) globalThis.fetch = fetch
    if (Reflect.get(Socket.prototype, 'connect') === ourConnect) Socket.prototype.connect = connect
  }
}

function reject(rejected: Error[], target: string): Error {
  const message = `The handler connected to ${target}, which this rehearsal forbids. Connect inside effects.once, which a rehearsal does not run.`
  const error = new OperateError('network_forbidden', message)
  rejected.push(error)
  return error
}

/** Only the host, because the rest of a URL may be secret. */
function hostOf(input: string | URL | Request): string {
  const url = input instanceof Request ? input.url : String(input)
  return URL.canParse(url) ? new URL(url).host : 'an address that is not a URL'
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
