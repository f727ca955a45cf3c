import { describeError, pageHeaders } from '@feed-receiver/core/internal'
import { reportTo } from '@feed-receiver/inbox/internal'
import { Hono, type MiddlewareHandler } from 'hono'
import { createAccess, login, showSession } from './access.ts'
import type { AccessOptions, Operator } from './access.ts'
import { actions } from './actions.ts'
import { isFromOwnPage } from './cookies.ts'
import { createDatabaseName } from './database-name.ts'
import { ConsoleError } from './errors.ts'
import { answerFile, answerPage } from './page-files.ts'
import { limitBody, readJson, type JsonObject } from './query.ts'
import { Rejection, toRejection } from './rejection.ts'
import { answerTestFile, type Reproduce } from './test-file.ts'
import { views, type ConsoleAlerts, type ConsoleInbox } from './views.ts'

export interface ConsoleOptions extends AccessOptions {
  /** A started inbox. */
  inbox: ConsoleInbox
  /**
   * Returns an event as a failing test, for a button of the page: `(eventId) => reproduce(inbox,
   * eventId)` with `reproduce` of `@feed-receiver/operate/rehearse`.
   * @default no button
   */
  reproduce?: Reproduce | undefined
  /**
   * The alerts that the overview shows: what `createAlerts` of `@feed-receiver/operate/alerts`
   * returns.
   * @default no alerts
   */
  alerts?: ConsoleAlerts | undefined
  /**
   * Whether the page is read-only, so that every action is rejected.
   * @default true
   */
  readOnly?: boolean
  /**
   * The title of the page, such as the name of the app.
   * @default 'Inbox'
   */
  title?: string
  /**
   * The environment, which the page shows with the name of the database.
   * @default process.env.NODE_ENV
   */
  environment?: string | undefined
  /**
   * Called with unexpected errors. The page only shows that something failed.
   * @default process.emitWarning
   */
  onError?: (error: unknown) => unknown
}

/** Serves the page, its files and its API, under any path that it is mounted on. */
export type Console = (request: Request) => Promise<Response>

interface Known {
  Variables: { operator: Operator; input: JsonObject }
}

/**
 * Creates a web page for an inbox. It neither starts nor closes the inbox. Throws `ConsoleError`
 * `no_access_rule` without a `token` or `authorize`, and `bad_option` for an invalid option.
 */
export function createConsole({
  inbox,
  reproduce,
  alerts,
  readOnly = true,
  title = 'Inbox',
  environment = process.env['NODE_ENV'],
  onError: givenOnError = (error) => process.emitWarning(String(error), 'FeedConsoleWarning'),
  ...accessOptions
}: ConsoleOptions): Console {
  const access = createAccess(accessOptions)
  const onError = reportTo(givenOnError)
  const app = new Hono<Known>({ getPath: ownPathOf })

  const requireOperator: MiddlewareHandler<Known> = async (c, next) => {
    const operator = await access.whoIs(c)
    if (!operator) throw new Rejection(401, 'not_logged_in', 'Log in first.')
    c.set('operator', operator)
    await next()
  }

  // Hono's `secureHeaders` would also send HSTS unless told otherwise.
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(pageHeaders)) c.res.headers.set(name, value)
  })
  // Hono rethrows thrown values that are no Error, and an app's authorize may throw anything.
  app.use(async (_, next) => {
    try {
      await next()
    } catch (thrown) {
      if (thrown instanceof ConsoleError) throw thrown
      const said = describeError(thrown)
      throw new Error(`The app threw a value that is not an Error: ${said}`, { cause: thrown })
    }
  })
  app.onError((error, c) => {
    if (error instanceof ConsoleError) throw error
    const { status, code, message } = toRejection(error)
    if (status >= 500) onError(error)
    return c.json({ error: message, code }, status)
  })
  app.use('/api/*', async (c, next) => {
    c.header('cache-control', 'no-store')
    if (c.req.method !== 'GET' && c.req.method !== 'POST') {
      throw new Rejection(405, 'method_not_allowed', 'Use GET to read and POST to act.')
    }
    await next()
  })

  const readDatabaseName = createDatabaseName(inbox)
  const canReproduce = reproduce !== undefined
  const shown = { readOnly, title, environment, canReproduce, readDatabaseName }
  app.get('/api/session', async (c) => c.json(await showSession(c, access, shown)))
  for (const [name, view] of Object.entries(views)) {
    app.get(`/api/${name}`, requireOperator, async (c) =>
      c.json(await view(inbox, c.req.query(), alerts)),
    )
  }

  app.get('/api/testfile', requireOperator, (c) => answerTestFile(c, reproduce))

  app.post('/api/*', async (c, next) => {
    // Before reading anything, so that a page of another site learns nothing, not even whether the
    // user is logged in.
    if (!isFromOwnPage(c)) {
      throw new Rejection(
        403,
        'not_our_page',
        'Only the page of this console may send this request. Reload the page.',
      )
    }
    // A foreign form could send other types.
    if (c.req.header('content-type')?.split(';')[0] !== 'application/json') {
      throw new Rejection(415, 'not_json', 'Send JSON with the Content-Type application/json.')
    }
    await next()
  })
  app.post('/api/*', limitBody, async (c, next) => {
    c.set('input', await readJson(c.req))
    await next()
  })
  app.post('/api/login', async (c) => c.json(await login(c, access, c.var.input)))
  app.post('/api/logout', (c) => {
    access.leave(c)
    return c.json({ ok: true })
  })
  for (const [name, action] of Object.entries(actions)) {
    app.post(`/api/${name}`, requireOperator, async (c) => {
      const { operator, input } = c.var
      if (readOnly || operator.readOnly === true) {
        throw new Rejection(403, 'read_only', 'This console is read-only, so nothing was changed.')
      }
      const result = await action({ inbox, onError, operator, c }, input)
      return result instanceof Response ? result : c.json(result)
    })
  }
  app.all('/api/*', () => {
    throw new Rejection(404, 'not_found', 'Nothing exists at this address.')
  })

  app.get('/assets/:file', answerFile)
  app.get('/', answerPage)
  app.all('*', (c) => c.body(null, 405, { allow: 'GET, HEAD' }))

  return async (request) => await app.fetch(request)
}

/** Routes by the end of the path only, because the app or a proxy may add any prefix. */
function ownPathOf({ method, url, headers }: Request): string {
  const { pathname } = new URL(url)
  const path = /\/(?:api\/[a-z]+|assets\/[\w-]+\.[a-z]+)$/.exec(pathname)?.[0] ?? '/'
  // A browser that opens /api/console wants the page. It opens one call, which is a download.
  const isOpened = method === 'GET' && headers.get('accept')?.startsWith('text/html') === true
  return isOpened && path.startsWith('/api/') && path !== '/api/testfile' ? '/' : path
}
