import { isError } from '@feed-receiver/core/internal'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseTarget } from '@feed-receiver/database'
import { z } from 'zod'
import { checkOption } from './errors.ts'
import type { MadeAttempt } from './state/delivery.ts'
import { isClockTime } from './state/fields.ts'
import type { VaultKey } from './state/vault.ts'

export const behaviour = z.strictObject({
  firstCursor: z.enum(['tail', 'replay']),
  moveChanged: z.boolean(),
})

/** The sandbox's choices where the interface leaves behaviour open; see `SandboxOptions`. */
export type Behaviour = z.infer<typeof behaviour>

export interface SandboxOptions {
  /**
   * A PostgreSQL URL, a `pg.Pool`, or a folder for an embedded database.
   * @default { folder: '.feed-receiver/sandbox' }
   */
  database?: DatabaseTarget | undefined
  /** The port to listen on; 0 chooses a free one. @default 4010 */
  port?: number | undefined
  /**
   * The address to listen on. Any other than loopback exposes the sandbox to the network.
   * @default '127.0.0.1'
   */
  host?: string | undefined
  /** Host names beside loopback under which the control page and /mcp are served. @default [] */
  allowedHosts?: readonly string[] | undefined
  /**
   * The seed of history: the same seed gives the same events.
   * @default 'feed'
   */
  seed?: string | undefined
  /** How many days of history a new sandbox gets. @default 30 */
  historyDays?: number | undefined
  /** The end of that history, cut to the full hour. @default now, by the sandbox's clock */
  historyEndsAt?: Date | undefined
  /** Publishes an event at this interval, in seconds. @default never */
  tickSeconds?: number | undefined
  /** The token of the control page; 20 characters or more. @default random, for each sandbox */
  session?: string | undefined
  /**
   * Where `nextCursor` of a first page leads: to later events only, or through all history.
   * @default 'tail'
   */
  firstCursor?: Behaviour['firstCursor'] | undefined
  /**
   * Whether corrected, retracted and confirmed events move to a new position in the feed.
   * @default true
   */
  moveChanged?: boolean | undefined
  /**
   * The key that encrypts addresses and secrets of destinations: 64 hexadecimal digits.
   * @default a file beside an embedded database, else `.feed-receiver/sandbox.key`, created if
   * missing
   */
  encryptionKey?: string | undefined
  /**
   * Drops the schema `sandbox` at the first start, with all data of earlier runs and everything that
   * depends on it.
   * @default false
   */
  fresh?: boolean | undefined
  /**
   * Turns off everything that the service itself would not do: destinations are strict, the clock
   * cannot be moved, and faults cannot be injected. Resets the clock and deletes the fault rules of
   * earlier runs.
   * @default false
   */
  strict?: boolean | undefined
  /**
   * Whether deliveries go only to reachable public https addresses, as with the service.
   * @default the option strict; if false, an app on this machine can be a destination
   */
  strictDestinations?: boolean | undefined
  /**
   * Whether messages for Slack, Discord and Teams are posted there.
   * @default false: they only appear in the journal
   */
  sendChat?: boolean | undefined
  /** The path of the manifest for agents. @default '/.well-known/feed-agent.json' */
  manifestPath?: string | undefined
  /**
   * A page to serve instead of the control page, such as one that shows an inbox beside the feed.
   */
  page?: OtherPage | undefined
  /** Called after each attempt of a delivery, once its outcome is stored. */
  onAttempt?: ((attempt: MadeAttempt) => void) | undefined
  /** Called with internal errors. @default writes to standard error */
  onError?: ((error: unknown) => void) | undefined
}

/** A page with the session and the actions of the control page. */
export interface OtherPage {
  /**
   * The folder with its `index.html` and its folder `assets`. Browsers cache a file for a year if
   * its name ends in a hyphen and a hash of eight characters, as Vite names it, and cache no other.
   * The content security policy allows no inline scripts, no trusted-types policies, and no forms
   * that are sent.
   */
  folder: URL
  /**
   * Handles requests below `inbox/`, for example the handler from `createConsole`. Only requests
   * with the session reach it.
   */
  inbox: (request: Request) => Promise<Response>
}

type Given = { [Name in keyof SandboxOptions]?: Exclude<SandboxOptions[Name], undefined> }

type WithoutDefault = 'historyEndsAt' | 'tickSeconds' | 'page' | 'onAttempt'

/** The options with their defaults. */
export interface SandboxSettings
  extends Required<Omit<Given, WithoutDefault | 'encryptionKey'>>, Pick<Given, WithoutDefault> {
  /** The option `encryptionKey`, or the file that replaces it. */
  key: VaultKey
  /** Never throws or rejects. */
  onError: (error: unknown) => void
}

/** @throws SandboxError `bad_option` */
export function readOptions(options: SandboxOptions): SandboxSettings {
  const named = Object.entries(options).filter(([, value]) => value !== undefined)
  const given: Given = Object.fromEntries(named)
  const { strict = false, encryptionKey, ...others } = given
  const settings = {
    database: { folder: '.feed-receiver/sandbox' },
    port: 4010,
    host: '127.0.0.1',
    allowedHosts: [],
    seed: 'feed',
    historyDays: 30,
    session: `feed_session_${randomBytes(32).toString('base64url')}`,
    firstCursor: 'tail' as const,
    moveChanged: true,
    fresh: false,
    strict,
    strictDestinations: strict,
    sendChat: false,
    manifestPath: '/.well-known/feed-agent.json',
    ...others,
    onError: reportTo(given.onError ?? writeError),
  }
  const { historyEndsAt, database } = settings
  checkWhole('port', settings.port, 0, 65_535)
  checkWhole('historyDays', settings.historyDays, 0, 366)
  checkWhole('tickSeconds', settings.tickSeconds ?? 1, 1, 86_400)
  const isTime = historyEndsAt === undefined || isClockTime(historyEndsAt.getTime())
  checkOption(isTime, 'The option historyEndsAt must be a time in the years 1970 to 9998.')
  checkOption(
    /^[\w.~-]{20,256}$/.test(settings.session),
    'The option session must be 20 to 256 of A-Z, a-z, 0-9, "_", ".", "~" and "-". Omit it for a random one.',
  )
  checkOption(
    /^\/\.well-known\/[\w./-]{1,100}$/.test(settings.manifestPath),
    'The option manifestPath must be a path below /.well-known/.',
  )
  const key = encryptionKey === undefined ? { file: keyFileFor(database) } : { hex: encryptionKey }
  return { ...settings, key }
}

function keyFileFor(target: DatabaseTarget): string {
  const isFolder = typeof target === 'object' && 'folder' in target
  return isFolder ? join(target.folder, 'encryption.key') : '.feed-receiver/sandbox.key'
}

function checkWhole(name: string, value: number, min: number, max: number): void {
  const isGood = Number.isInteger(value) && value >= min && value <= max
  checkOption(isGood, `The option ${name} must be a whole number from ${min} to ${max}.`)
}

/** The result never throws or rejects, because its callers are in the middle of other work. */
function reportTo(onError: (error: unknown) => unknown): (error: unknown) => void {
  const report = async (error: unknown) => onError(error)
  return (error) => void report(error).catch(writeError)
}

function writeError(error: unknown): void {
  const what = isError(error) ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`sandbox: ${what}\n`)
}
