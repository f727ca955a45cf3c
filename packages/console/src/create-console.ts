import { describeError, pageHeaders, readPageFile } from '@feed-receiver/core/internal'
import { withContext } from '@feed-receiver/inbox/extend'
import { reportTo, withTimeout } from '@feed-receiver/inbox/internal'
import { Hono, type Context, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { createAccess, login, showSession } from './access.ts'
import type { AccessOptions, Operator } from './access.ts'
import { actions } from './actions.ts'
import { isFromOwnPage } from './cookies.ts'
import { ConsoleError } from './errors.ts'
import { limitBody, read, readJson, text, type JsonObject } from './query.ts'
import { Rejection, toRejection } from './rejection.ts'
import { views, type ConsoleAlerts, type ConsoleInbox } from './views.ts'

/** Returns an event as a failing test. Errors: `unknown_event`, `content_pruned`. */
export type Reproduce = (eventId: string) => Promise<string>

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

  app.get('/assets/:file', (c) => answerFile(c))
  app.get('/', (c) => answerPage(c))
  app.all('*', (c) => c.body(null, 405, { allow: 'GET, HEAD' }))

  return async (request) => await app.fetch(request)
}

/** Answers the test file of an entry, to be saved beside the handlers. */
async function answerTestFile(c: Context, reproduce?: Reproduce): Promise<Response> {
  if (!reproduce) throw new Rejection(404, 'not_found', 'This console writes no test files.')
  const { id: eventId = '' } = read(z.object({ id: text }), c.req.query())
  const file = await reproduce(eventId).catch((error: unknown) => {
    const { code, message } = Object(error)
    if (code === 'unknown_event') throw new Rejection(404, code, message)
    if (code === 'content_pruned') throw new Rejection(409, code, message)
    throw error
  })
  return c.body(file, 200, {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="${fileNameOf(eventId)}"`,
  })
}

/** Whatever an event id has, the name is a plain one and hidden on no system. */
function fileNameOf(eventId: string): string {
  return `event-${eventId.slice(0, 100).replaceAll(/[^\w-]+/g, '_')}.test.ts`
}

/** Routes by the end of the path only, because the app or a proxy may add any prefix. */
function ownPathOf({ method, url, headers }: Request): string {
  const { pathname } = new URL(url)
  const path = /\/(?:api\/[a-z]+|assets\/[\w-]+\.[a-z]+)$/.exec(pathname)?.[0] ?? '/'
  // A browser that opens /api/console wants the page. It opens one call, which is a download.
  const isOpened = method === 'GET' && headers.get('accept')?.startsWith('text/html') === true
  return isOpened && path.startsWith('/api/') && path !== '/api/testfile' ? '/' : path
}

/** Returns a function that reads the name of the database of an inbox once; null until it answers. */
function createDatabaseName(inbox: ConsoleInbox): () => Promise<string | null> {
  let name: string | undefined
  return async () => {
    // The page also opens while the database is down.
    const late = () => new Error('The database did not answer in time.')
    name ??= await withTimeout(readName(inbox), 1_000, late).catch(() => undefined)
    return name ?? null
  }
}

async function readName(inbox: ConsoleInbox): Promise<string | undefined> {
  return await withContext(inbox, async ({ database }) => {
    if (database.kind === 'pglite') return 'embedded database'
    const named = 'select current_database()::text as name'
    const { rows } = await database.query<{ name: string }>(named)
    return rows[0]?.name
  })
}

const folder = new URL('../dist/page/', import.meta.url)

async function answerFile(c: Context): Promise<Response> {
  const file = await readPageFile(folder, `assets/${c.req.param('file') ?? ''}`)
  return file ? c.body(new Uint8Array(file.body), 200, file.headers) : c.text('Not found', 404)
}

async function answerPage(c: Context): Promise<Response> {
  const page = await readPageFile(folder, 'index.html')
  if (!page) {
    throw new ConsoleError(
      'page_missing',
      'The page of the console is missing. In the repository, run npm run build. In an app, keep the ' +
        'package out of your bundle (serverExternalPackages in Next), because it reads files beside itself.',
    )
  }
  // The browser resolves links from the last slash, and the app decides whether the path ends in
  // one: from /console our files are at console/assets, from /console/ at assets.
  const last = new URL(c.req.url).pathname.split('/').at(-1) ?? ''
  const root = last === '' ? './' : `./${escapeAttribute(last)}/`
  const html = page.body
    .toString()
    .replaceAll('./assets/', () => `${root}assets/`)
    .replace('data-root="./"', () => `data-root="${root}"`)
  return c.body(html, 200, page.headers)
}

function escapeAttribute(value: string): string {
  return value.replaceAll(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
