import type { IncomingMessage } from 'node:http'

/** What the middleware reads and sets on the context of Koa. */
export interface KoaContext {
  readonly req: IncomingMessage
  status: number
  body: unknown
  set(headers: Record<string, string>): void
}

/**
 * A middleware of Koa. It names no type of Koa, because an app in JavaScript, or one with a strict
 * layout of packages, has no types of Koa for this package to find. It takes any context, so that
 * `app.use` leaves the context of the app as it is.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it is inferred by Koa
export type KoaMiddleware = <Context extends KoaContext>(
  context: Context,
  next?: unknown,
) => Promise<void>
