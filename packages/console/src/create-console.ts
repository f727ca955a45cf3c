import { Hono, type MiddlewareHandler } from 'hono'
import { createAccess, leave, login, showSession } from './access.ts'
import type { AccessOptions, Operator } from './access.ts'
import { actions } from './actions.ts'
import { isFromOwnPage } from './cookies.ts'
import { ConsoleError } from './errors.ts'
import { answerFile, answerPage } from './page-files.ts'
import { readJson, sayFrom, type JsonObject } from './query.ts'
import { Refusal, toRefusal } from './refusal.ts'
import { addSecurityHeaders } from './security-headers.ts'
import { answerTestFile } from './test-file.ts'
import { views, type ConsoleInbox } from './views.ts'

export interface ConsoleOptions extends AccessOptions {
  /** The inbox to look into, started by then. */
  inbox: ConsoleInbox
  /**
   * Whether the page only shows, and every action is refused.
   * @default true
   */
  readOnly?: boolean
  /**
   * What the page is called, where there are several.
   * @default 'Inbox'
   */
  title?: string
  /**
   * Told of what fails while answering; the page only learns that something did.
   * @default process.emitWarning
   */
  onError?: (error: unknown) => void
}

/** Answers the page, its files and its API, under whatever path it is mounted. */
export type Console = (request: Request) => Promise<Response>

interface Known {
  Variables: { operator: Operator; said: JsonObject }
}

/**
 * Makes a web page over an inbox. It opens nothing, and closes nothing. Throws `ConsoleError`
 * `no_access_rule` without a `token` or `authorize`, and `bad_option` for one that cannot be.
 */
export function createConsole({
  inbox,
  readOnly = true,
  title = 'Inbox',
  onError = (error) => process.emitWarning(String(error), 'FeedConsoleWarning'),
  ...accessOptions
}: ConsoleOptions): Console {
  const access = createAccess(accessOptions)
  const app = new Hono<Known>({ getPath: ownPathOf })

  const requireOperator: MiddlewareHandler<Known> = async (c, next) => {
    const operator = await access.whoIs(c)
    if (!operator) throw new Refusal(401, 'not_logged_in', 'Log in first.')
    c.set('operator', operator)
    await next()
  }

  app.use(addSecurityHeaders)
  // Hono passes on whatever is thrown and is no Error; an app's authorize may throw anything.
  app.use(async (_, next) => {
    try {
      await next()
    } catch (thrown) {
      throw new Error('The app threw what is no Error.', { cause: thrown })
    }
  })
  app.onError((error, c) => {
    if (error instanceof ConsoleError) throw error
    const { status, code, message } = toRefusal(error)
    if (status >= 500) onError(error)
    return c.json({ error: message, code }, status)
  })
  app.use('/api/*', async (c, next) => {
    c.header('cache-control', 'no-store')
    if (c.req.method !== 'GET' && c.req.method !== 'POST') {
      throw new Refusal(405, 'method_not_allowed', 'Use GET to look and POST to act.')
    }
    await next()
  })

  app.get('/api/session', async (c) => c.json(await showSession(c, access, { readOnly, title })))
  for (const [name, view] of Object.entries(views)) {
    app.get(`/api/${name}`, requireOperator, async (c) =>
      c.json(await view(inbox, sayFrom(c.req.query()))),
    )
  }

  app.get('/api/testfile', requireOperator, (c) => answerTestFile(c, inbox))

  app.post('/api/*', async (c, next) => {
    // Before anything is read: a page of somebody else must not even find out whether it could.
    if (!isFromOwnPage(c)) {
      throw new Refusal(
        403,
        'not_our_page',
        'Only the page of this console may do that. Reload it.',
      )
    }
    c.set('said', await readJson(c.req.raw))
    await next()
  })
  app.post('/api/login', async (c) => c.json(await login(c, access, c.var.said)))
  app.post('/api/logout', (c) => {
    leave(c)
    return c.json({ ok: true })
  })
  for (const [name, action] of Object.entries(actions)) {
    app.post(`/api/${name}`, requireOperator, async (c) => {
      const { operator, said } = c.var
      if (readOnly || operator.readOnly === true) {
        throw new Refusal(403, 'read_only', 'This console only shows. Nothing was changed.')
      }
      const result = await action({ inbox, onError, operator, said, c })
      return result instanceof Response ? result : c.json(result)
    })
  }
  app.all('/api/*', () => {
    throw new Refusal(404, 'not_found', 'There is no such thing here.')
  })

  app.get('/assets/:file', answerFile)
  app.get('/', answerPage)
  app.all('*', (c) => c.body(null, 405, { allow: 'GET, HEAD' }))

  return async (request) => await app.fetch(request)
}

/** Only the end of a path is ours to read: the rest belongs to the app or its proxy. */
function ownPathOf({ url }: Request): string {
  const { pathname } = new URL(url)
  return /\/(?:api\/[a-z]+|assets\/[\w-]+\.[a-z]+)$/.exec(pathname)?.[0] ?? '/'
}
