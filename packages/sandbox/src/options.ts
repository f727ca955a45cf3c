import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseTarget } from '@feed-receiver/database'
import { z } from 'zod'
import { SandboxError } from './errors.ts'
import { isClockTime } from './state/clock.ts'

export const behaviour = z.strictObject({
  /** What nextCursor of a first page leads to: what comes after it, or all history. */
  firstCursor: z
    .enum(['tail', 'replay'])
    .describe('What nextCursor of a first page leads to: what comes after it, or all history.'),
  /** Whether a changed event takes a new place in the feed, or is changed where it is. */
  moveChanged: z.boolean().describe('Whether a changed event takes a new place in the feed.'),
})

/** How the sandbox decides what the interface leaves open, until somebody changes it. */
export type Behaviour = z.infer<typeof behaviour>

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
  /** What nextCursor of a first page leads to: what comes after it, or all history. @default 'tail' */
  firstCursor?: Behaviour['firstCursor'] | undefined
  /** Whether corrected, retracted and confirmed events take a new place in the feed. @default true */
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
  /** Another page in place of the control page, such as one that shows an inbox beside the feed. */
  page?: OtherPage | undefined
  /** Called with each attempt of a delivery, once its outcome is stored. */
  onAttempt?: ((attempt: MadeAttempt) => void) | undefined
  /** Is told what went wrong inside. @default writes to standard error */
  onError?: ((error: unknown) => void) | undefined
}

/** A page with the session and the actions of the control page. */
export interface OtherPage {
  /** Where its `index.html` and its folder `assets` are. */
  folder: URL
  /** Answers below `inbox/`, such as what `createConsole` gives. Only the session gets there. */
  inbox: (request: Request) => Promise<Response>
}

/** One attempt and its outcome. */
export interface MadeAttempt {
  deliveryId: number
  destinationId: string
  eventId: string
  kind: 'live' | 'test' | 'replay'
  /** From 1. */
  attempt: number
  /** The body that was sent. */
  body: string
  /** After `pause` the destination gets nothing more until a test is accepted. */
  result: 'accepted' | 'pause' | 'retry' | 'interrupted'
  cause: string
  /** What the receiver answered, and the beginning of its body; null for no answer. */
  status: number | null
  responseBody: string | null
  /** Why no answer came, such as ECONNREFUSED; else null. */
  errorCode: string | null
  durationMs: number
  /** How long until the next attempt; null if there is none. */
  nextDelayMs: number | null
  /** The faults that were injected; else null. */
  fault: string | null
}

export type SandboxSettings = ReturnType<typeof readOptions>

/** @throws SandboxError `bad_option` */
export function readOptions(options: SandboxOptions) {
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
    onError: writeError,
    ...others,
  }
  const { historyEndsAt, database } = settings
  checkWhole('port', settings.port, 0, 65_535)
  checkWhole('historyDays', settings.historyDays, 0, 366)
  checkWhole('tickSeconds', settings.tickSeconds ?? 1, 1, 86_400)
  const isTime = historyEndsAt === undefined || isClockTime(historyEndsAt.getTime())
  check(isTime, 'historyEndsAt is a time of the years 1970 to 9998.')
  check(
    /^[\w.~-]{20,256}$/.test(settings.session),
    'session is 20 to 256 of A-Z, a-z, 0-9, "_", ".", "~" and "-". Leave it out for a random one.',
  )
  check(
    /^\/\.well-known\/[\w./-]{1,100}$/.test(settings.manifestPath),
    'manifestPath is a path below /.well-known/.',
  )
  const key = encryptionKey === undefined ? { file: keyFileFor(database) } : { hex: encryptionKey }
  return { ...settings, key }
}

type Given = { [Name in keyof SandboxOptions]?: Exclude<SandboxOptions[Name], undefined> }

function keyFileFor(target: DatabaseTarget): string {
  const isFolder = typeof target === 'object' && 'folder' in target
  return isFolder ? join(target.folder, 'encryption.key') : '.feed-receiver/sandbox.key'
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  const isGood = Number.isInteger(value) && value >= least && value <= most
  check(isGood, `${name} is a whole number from ${least} to ${most}.`)
}

function check(isGood: boolean, rule: string): void {
  if (!isGood) throw new SandboxError('bad_option', `The option ${rule}`)
}

function writeError(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`sandbox: ${what}\n`)
}
