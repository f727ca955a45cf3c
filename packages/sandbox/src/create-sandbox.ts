import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { codeOf } from '@feed-receiver/core/internal'
import { openDatabase, type Database } from '@feed-receiver/database'
import { migrationSql } from '@feed-receiver/database/internal'
import type { FastifyInstance } from 'fastify'
import { accountEventRoute, accountEventsRoute } from './account-events/account-event-routes.ts'
import { firstAccount, insertAccount } from './accounts/accounts.ts'
import { addControlRoutes } from './control/control-routes.ts'
import { createControl, type Control } from './control/control.ts'
import { applyStrict, seedSandbox } from './control/history.ts'
import { addPublicRoutes } from './documents/public-routes.ts'
import { SandboxError } from './errors.ts'
import { keepTicking } from './events/compose-event.ts'
import { eventsRoute } from './events/events-route.ts'
import { addMcpRoutes } from './mcp/mcp-routes.ts'
import { migrations } from './migrations/index.ts'
import { readOptions, type SandboxOptions, type SandboxSettings } from './options.ts'
import { addApiRoutes } from './server/api-routes.ts'
import { buildServer } from './server/build-server.ts'
import { createCharging } from './server/charging.ts'
import type { Context } from './server/context.ts'
import { createOpenCode } from './server/session.ts'
import { createRequestJournal } from './state/request-journal.ts'
import { initSetting, openVault } from './state/vault.ts'
import { createDeliverer, type StartableDeliverer } from './webhooks/deliveries/deliverer.ts'

export interface Sandbox extends AsyncDisposable {
  /**
   * Opens the database, migrates, creates the first account and listens. Idempotent. Rejects with
   * `SandboxError` `port_taken`, `bad_option` if its encryption key does not fit, or an error of the
   * database.
   */
  start(): Promise<void>
  /** Waits for in-flight work and closes everything. It can be started again. Idempotent. */
  stop(): Promise<void>
  /** The URL that it listens on. @throws SandboxError `not_running` */
  readonly url: string
  /**
   * The address of the control page, with its session. Do not log it. @throws SandboxError
   * `not_running`
   */
  readonly controlUrl: string
  /**
   * Returns an address that opens the control page once, within a minute. Use it instead of
   * `controlUrl` to start a browser, because other users of the machine can read its arguments.
   * @throws SandboxError `not_running`
   */
  createOpenUrl(): string
  /** The token of the session, which `controlUrl` contains. Do not log it. */
  readonly session: string
  /** The actions of the control page. @throws SandboxError `not_running` */
  readonly control: Control
}

interface RunningSandbox extends Pick<Context, 'openCodes'> {
  url: string
  control: Control
  stop(): Promise<void>
}

/**
 * Creates a feed service on this machine. Opens nothing before `start`.
 *
 * @throws SandboxError `bad_option`
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = readOptions(options)
  const { session } = settings
  let isFresh = settings.fresh
  let running: RunningSandbox | undefined
  let lastChange: Promise<void> = Promise.resolve()

  const sandbox: Sandbox = {
    start: () =>
      inOrder(async () => {
        running ??= await open()
      }),
    stop: () =>
      inOrder(async () => {
        const stopping = running
        running = undefined
        await stopping?.stop()
      }),
    get url() {
      return asRunning().url
    },
    get controlUrl() {
      return `${asRunning().url}/_sandbox/open?session=${session}`
    },
    createOpenUrl() {
      const { url, openCodes } = asRunning()
      return `${url}/_sandbox/open?code=${createOpenCode(openCodes)}`
    },
    session,
    get control() {
      return asRunning().control
    },
    [Symbol.asyncDispose]: () => sandbox.stop(),
  }
  return sandbox

  async function open() {
    const database = openDatabase(settings.database, { isShared: false })
    try {
      const started = await run(settings, database, isFresh)
      isFresh = false
      return started
    } catch (error) {
      await database.close()
      if (codeOf(error) !== 'EADDRINUSE') throw error
      const text = `Port ${settings.port} is taken. Stop the process that listens there, or choose another port.`
      throw new SandboxError('port_taken', text, { cause: error })
    }
  }

  // Serialized, so that a stop during a start stops what was started.
  function inOrder(make: () => Promise<void>): Promise<void> {
    const made = lastChange.then(make)
    lastChange = made.catch(() => undefined)
    return made
  }

  function asRunning(): RunningSandbox {
    if (running) return running
    throw new SandboxError('not_running', 'The sandbox is not running. Call start() first.')
  }
}

/** Starts everything on this database, and closes the database when it stops. */
async function run(
  settings: SandboxSettings,
  database: Database,
  isFresh: boolean,
): Promise<RunningSandbox> {
  const tables = { schema: 'sandbox' }
  let isNew = false
  // Called only for a new embedded database, which has nothing to delete.
  const initialSql = () => {
    isNew = true
    return migrationSql(migrations, tables)
  }
  await database.open({ initialSql })
  await checkPort(settings)
  if (isFresh && !isNew) await database.query('drop schema if exists sandbox cascade')
  await database.migrate(migrations, tables)
  await insertAccount(database, firstAccount)

  let url = ''
  const context = await createContext(settings, database, () => url)
  const { deliverer, journal, openCodes, tickSeconds, port, host } = context
  if (settings.strict) await applyStrict(context)
  await seedSandbox(context)

  const apiRoutes = [eventsRoute, accountEventsRoute, accountEventRoute]
  const server = await buildServer(context, {
    '': addPublicRoutes,
    '/v1': (scope) => addApiRoutes(scope, context, apiRoutes),
    '/mcp': addMcpRoutes,
    '/_sandbox': addControlRoutes,
  })
  try {
    await server.listen({ port, host })
    url = urlOf(server, host)
    await deliverer.start()
  } catch (error) {
    await server.close()
    throw error
  }
  const ticking = new AbortController()
  const ticks = tickSeconds === undefined || keepTicking(context, tickSeconds, ticking.signal)

  return {
    url,
    openCodes,
    control: createControl(context),
    async stop() {
      try {
        ticking.abort()
        await ticks
        await server.close()
        await deliverer.stop()
        await journal.flush()
      } finally {
        await database.close()
      }
    },
  }
}

/** Creates what all parts of the sandbox share. */
async function createContext(
  settings: SandboxSettings,
  database: Database,
  baseUrl: () => string,
): Promise<Context & { deliverer: StartableDeliverer }> {
  const { firstCursor, moveChanged, ...others } = settings
  const context: Omit<Context, 'deliverer'> = {
    ...others,
    database,
    behaviour: { firstCursor, moveChanged },
    journal: createRequestJournal(database, settings.onError),
    chargeRequest: createCharging(database),
    vault: await openVault(database, settings.key),
    openCodes: new Set(),
    cursorKey: await initSetting(database, 'cursor_key', randomBytes(32)),
    // From the seed, so that seeded events have the same references in every sandbox.
    referenceKey: await initSetting(
      database,
      'reference_key',
      hash('sha256', `references ${settings.seed}`, 'buffer'),
    ),
    baseUrl,
  }
  return { ...context, deliverer: createDeliverer(context) }
}

/** Before anything is deleted, because a sandbox that has the port may use the same database. */
async function checkPort({ port, host }: SandboxSettings): Promise<void> {
  const server = createServer().listen({ port, host })
  await once(server, 'listening')
  await once(server.close(), 'close')
}

function urlOf(server: FastifyInstance, host: string): string {
  const { port } = Object(server.server.address())
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
