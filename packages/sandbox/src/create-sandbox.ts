import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openDatabase, type Database, type DatabaseTarget } from '@feed-receiver/database'
import { isClockTime } from './state/clock.ts'
import type { Behaviour } from './server/context.ts'
import type { Control } from './control/control.ts'
import { SandboxError } from './errors.ts'
import { runSandbox, type RunningSandbox } from './run-sandbox.ts'

export interface SandboxOptions {
  /**
   * A PostgreSQL URL, a `pg.Pool`, or a folder for an embedded database.
   * @default { folder: '.feed-receiver/sandbox' }
   */
  database?: DatabaseTarget | undefined
  /** The port to listen on; 0 takes a free one. @default 4010 */
  port?: number | undefined
  /** The address to listen on. Anything but loopback shows the sandbox to the network. @default '127.0.0.1' */
  host?: string | undefined
  /** Names beside loopback by which the control page and /mcp may be reached. @default [] */
  allowedHosts?: readonly string[] | undefined
  /** What history, composed events and ticks are drawn from: the same seed, the same events. @default 'feed' */
  seed?: string | undefined
  /** How many days of history a new sandbox is filled with. @default 30 */
  historyDays?: number | undefined
  /** When that history ends, cut to the full hour. @default now, by the sandbox's clock */
  historyEndsAt?: Date | undefined
  /** Publishes an event each time that so many seconds have passed. @default never */
  tickSeconds?: number | undefined
  /** The token of the control page; 20 characters or more. @default random, for each sandbox */
  session?: string | undefined
  /** What nextCursor of a first page leads to: what comes after it, or all history (T5). @default 'tail' */
  firstCursor?: Behaviour['firstCursor'] | undefined
  /** Whether corrected, retracted and confirmed events take a new place in the feed (T18). @default true */
  moveChanged?: boolean | undefined
  /**
   * What encrypts the addresses and secrets of destinations: 64 hexadecimal digits.
   * @default a file beside an embedded database, else `.feed-receiver/sandbox.key`, made where missing
   */
  encryptionKey?: string | undefined
  /** Forgets everything that earlier runs left, at the first start; what else uses the database with it. @default false */
  fresh?: boolean | undefined
  /**
   * Whether the liberties of a sandbox are off: destinations are strict, the clock cannot be moved,
   * nothing can be told to fail, and what earlier runs left of these ends.
   * @default false
   */
  strict?: boolean | undefined
  /**
   * Whether alerts go only to public https addresses that can be reached, as the service has it.
   * @default the option strict; not being so, an app of this machine can be a destination
   */
  strictDestinations?: boolean | undefined
  /**
   * Whether messages for Slack, Discord and Teams are posted there.
   * @default false: they are only shown in the journal
   */
  sendChat?: boolean | undefined
  /** Where the manifest for agents is. @default '/.well-known/feed-agent.json' */
  manifestPath?: string | undefined
  /** Is told what went wrong inside. @default writes to standard error */
  onError?: ((error: unknown) => void) | undefined
}

export interface Sandbox extends AsyncDisposable {
  /** Opens the database, migrates, makes the first account and listens. Idempotent. */
  start(): Promise<void>
  /** Finishes what is running and closes everything; may be started again. Idempotent. */
  stop(): Promise<void>
  /** Where it listens. @throws SandboxError `not_running` */
  readonly url: string
  /** The address of the control page, with its session. Not for a log. @throws SandboxError `not_running` */
  readonly controlUrl: string
  readonly session: string
  /** What the control page can do. @throws SandboxError `not_running` */
  readonly control: Control
}

/** The whole feed service on this machine. Opens nothing before `start`. */
export function createSandbox({
  database: target = { folder: '.feed-receiver/sandbox' },
  port = 4010,
  host = '127.0.0.1',
  allowedHosts = [],
  seed = 'feed',
  historyDays = 30,
  historyEndsAt,
  tickSeconds,
  session = `feed_session_${randomBytes(32).toString('base64url')}`,
  firstCursor = 'tail',
  moveChanged = true,
  encryptionKey,
  fresh = false,
  strict = false,
  strictDestinations = strict,
  sendChat = false,
  manifestPath = '/.well-known/feed-agent.json',
  onError = writeError,
}: SandboxOptions = {}): Sandbox {
  checkWhole('port', port, 0, 65_535)
  checkWhole('historyDays', historyDays, 0, 366)
  checkWhole('tickSeconds', tickSeconds ?? 1, 1, 86_400)
  checkTime('historyEndsAt', historyEndsAt ?? new Date())
  checkSession(session)
  checkPath(manifestPath)
  let running: RunningSandbox | undefined
  let isFresh = fresh
  let lastChange: Promise<void> = Promise.resolve()

  const sandbox: Sandbox = {
    start: () =>
      change(async () => {
        running ??= await open()
      }),
    stop: () =>
      change(async () => {
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
    session,
    get control() {
      return asRunning().control
    },
    [Symbol.asyncDispose]: () => sandbox.stop(),
  }
  return sandbox

  async function open(): Promise<RunningSandbox> {
    const database: Database = openDatabase(target)
    const behaviour = { firstCursor, moveChanged }
    const history = { days: historyDays, endsAt: historyEndsAt }
    const key = encryptionKey === undefined ? keyFileFor(target) : { hex: encryptionKey }
    const webhooks = { key, strictDestinations, sendChat }
    const listening = { port, host, allowedHosts, manifestPath, session }
    const settings = { ...listening, seed, history, tickSeconds, behaviour, webhooks, onError }
    const first = { isFresh, strict }
    try {
      const started = await runSandbox(database, { ...settings, ...first })
      isFresh = false
      return started
    } catch (error) {
      await database.close()
      throw error
    }
  }

  // One after the other, so that a stop during a start stops what was started.
  function change(make: () => Promise<void>): Promise<void> {
    const made = lastChange.then(make)
    lastChange = made.catch(() => undefined)
    return made
  }

  function asRunning(): RunningSandbox {
    if (running) return running
    throw new SandboxError('not_running', 'The sandbox is not running. Call start() first.')
  }
}

function keyFileFor(target: DatabaseTarget): { file: string } {
  const isFolder = typeof target === 'object' && 'folder' in target
  return { file: isFolder ? join(target.folder, 'encryption.key') : '.feed-receiver/sandbox.key' }
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new SandboxError(
    'bad_option',
    `The option ${name} is a whole number from ${least} to ${most}.`,
  )
}

function checkTime(name: string, time: Date): void {
  if (isClockTime(time.getTime())) return
  throw new SandboxError('bad_option', `The option ${name} is a time of the years 1970 to 9998.`)
}

function checkSession(session: string): void {
  if (/^[\w.~-]{20,256}$/.test(session)) return
  throw new SandboxError(
    'bad_option',
    'The option session is 20 to 256 of A-Z, a-z, 0-9, "_", ".", "~" and "-". Leave it out for a ' +
      'random one.',
  )
}

function checkPath(path: string): void {
  if (/^\/\.well-known\/[\w./-]{1,100}$/.test(path)) return
  throw new SandboxError('bad_option', 'The option manifestPath is a path below /.well-known/.')
}

function writeError(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`sandbox: ${what}\n`)
}
