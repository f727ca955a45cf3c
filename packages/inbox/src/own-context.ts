import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Runs a function outside of the caller's `AsyncLocalStorage` contexts. Loops, timers and
 * connections outlive the request in which they begin, and handlers must not see its stores.
 */
export const inOwnContext = AsyncLocalStorage.snapshot()
