import { codeOf } from '@feed-receiver/core/internal'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Context } from './command.ts'
import type { CapturedDelivery } from './conformance/explain/explain-delivery.ts'
import { CliError, UsageError } from './errors.ts'
import { orUndefined, parseJson } from './or-undefined.ts'

export const rewrittenNote =
  'A captured body is an object and not a text, so its JSON is serialized again. The bytes differ ' +
  'from the received ones.'

/** Reads a file in any of the forms that `parseDelivery` accepts. */
export async function readDelivery(path: string, piped: Piped): Promise<CapturedDelivery> {
  return parseDelivery(await readBytes(path, piped), path)
}

interface ReplayDelivery extends Pick<CapturedDelivery, 'body' | 'isRewritten'> {
  /** The name of its file, with the line number if the file has several deliveries. */
  name: string
  eventId: string
}

/**
 * Reads deliveries in the order of the names. A `.jsonl` or `.ndjson` file has one delivery per
 * line, any other file has one, and a folder has all of its `.json`, `.jsonl` and `.ndjson` files,
 * sorted by name.
 *
 * @throws CliError if something cannot be read, with its name, before anything is sent.
 */
export async function readDeliveries(
  paths: readonly string[],
  piped: Piped,
): Promise<ReplayDelivery[]> {
  const found: ReplayDelivery[] = []
  for (const path of paths.flatMap(listFiles)) {
    // One by one, because a call takes only so many arguments.
    for (const delivery of await readDeliveryFile(path, piped)) found.push(delivery)
  }
  if (found.length > 0) return found
  throw new CliError(
    'unreadable_file',
    'The given files contain no delivery. Use .json or .jsonl files, or a folder of them.',
  )
}

function listFiles(path: string): string[] {
  const found = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => /\.(json|jsonl|ndjson)$/.test(name))
    .toSorted()
    .map((name) => join(path, name))
}

async function readDeliveryFile(path: string, piped: Piped): Promise<ReplayDelivery[]> {
  const bytes = await readBytes(path, piped)
  const hasLines = path === '-' || /\.(jsonl|ndjson)$/.test(path)
  return hasLines ? readLines(path, bytes) : [readOne(path, bytes, path)]
}

// As Latin-1, which has one character per byte, so that each line is sent unchanged.
function readLines(path: string, bytes: Uint8Array): ReplayDelivery[] {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  return lines.flatMap((ended, at) => {
    const line = ended.replace(/\r$/, '')
    return /[^ ]/.test(line) ? [readOne(`${path}:${at + 1}`, Buffer.from(line, 'latin1'))] : []
  })
}

function readOne(name: string, bytes: Uint8Array, path?: string): ReplayDelivery {
  const { body, headers, isRewritten } = parseDelivery(bytes, path)
  const eventId = headers['feed-event-id'] ?? idIn(body)
  if (eventId !== undefined) return { name, eventId, body, isRewritten }
  throw new CliError(
    'unreadable_file',
    `${name} is not a delivery: it has neither an event with an id nor a Feed-Event-Id header. Correct it, or leave it out.`,
  )
}

function idIn(body: Uint8Array): string | undefined {
  const event = parseJson(body)
  return isObject(event) && typeof event['id'] === 'string' ? event['id'] : undefined
}

/** The source for `-`. */
export type Piped = Pick<Context, 'input' | 'signal'>

/** The bytes of a file, or of standard input for `-`. */
export async function readBytes(path: string, { input, signal }: Piped): Promise<Uint8Array> {
  if (path === '-' && input.isTTY === true)
    throw new UsageError(
      '- reads standard input, but nothing is piped in. Pipe a file in, or give its name.',
    )
  try {
    if (path === '-') return await buffer(addAbortSignal(signal, input))
    return await readFile(path)
  } catch (cause) {
    const why = whyUnreadable(cause)
    if (path !== '-') throw new UsageError(`The file ${path} cannot be read: ${why}`, cause)
    throw new CliError('unreadable_file', `Standard input cannot be read: ${why}`, cause)
  }
}

/**
 * Parses a captured delivery: JSON with `bodyBase64` or `body` and with `headers`, such as the
 * output of `inbox show --json`; a file that `recordDeliveries` wrote beside a body; or a body by
 * itself.
 *
 * @param path The file with exactly these bytes, to find files beside it.
 */
function parseDelivery(bytes: Uint8Array, path?: string): CapturedDelivery {
  const whole = { body: bytes, headers: {}, receivedAt: null, isRewritten: false }
  const value = parseJson(bytes)
  if (!isObject(value) || 'schema_version' in value) return whole
  const { bodyBase64, body, headers, receivedAt, sha256 } = value
  const captured = (bytesThere: Uint8Array, isRewritten = false) => ({
    body: bytesThere,
    headers: readHeaders(headers),
    receivedAt: typeof receivedAt === 'string' ? receivedAt : null,
    isRewritten,
  })
  if (bodyBase64 === null) throw new CliError('unreadable_file', whyBodiless(value['event']))
  if (typeof bodyBase64 === 'string') return captured(Buffer.from(bodyBase64, 'base64'))
  if (typeof body === 'string') return captured(Buffer.from(body))
  if (isObject(body)) return captured(Buffer.from(JSON.stringify(body)), true)
  if (!isObject(headers)) return whole
  if (path?.endsWith('.json') && typeof sha256 === 'string') {
    return captured(readBodyBeside(path, sha256))
  }
  throw new CliError(
    'unreadable_file',
    `${path ?? 'A line'} has the headers of a delivery, but no body. Add the body, as text in "body" or as Base64 in "bodyBase64".`,
  )
}

/** Why an entry has no signed body, although its event may still be stored. */
export function whyBodiless(event: unknown): string {
  return isObject(event)
    ? 'This event came by pull, so it has no signed body. Its content is `event` in the output of inbox show --json.'
    : 'The body of this entry is no longer stored, because prune deleted it. A backup of the database may have it.'
}

/** The body that `recordDeliveries` wrote beside the file with its headers, found by hash. */
function readBodyBeside(path: string, sha256: string): Uint8Array {
  const bodyPath = path.replace(/\.json$/, '.body')
  const body = orUndefined(() => readFileSync(bodyPath))
  if (body && createHash('sha256').update(body).digest('hex') === sha256) return body
  const why = body ? 'has changed since' : 'cannot be read'
  throw new CliError(
    'unreadable_file',
    `${path} was recorded with a body in ${bodyPath}, which ${why}. Restore that file, and mark *.body as binary in .gitattributes.`,
  )
}

/** Reads headers from a list of pairs or an object, whose values may be lists. */
export function readHeaders(headers: unknown): Record<string, string> {
  if (!isObject(headers)) return {}
  const pairs: unknown[] = Array.isArray(headers) ? headers : Object.entries(headers)
  return Object.fromEntries(pairs.flatMap(readHeader))
}

function readHeader(pair: unknown): [string, string][] {
  if (!Array.isArray(pair)) return []
  const [name, value]: unknown[] = pair
  if (typeof name !== 'string') return []
  const text = Array.isArray(value) ? value.join(', ') : value
  return typeof text === 'string' ? [[name.toLowerCase(), text]] : []
}

function whyUnreadable(cause: unknown): string {
  const code = codeOf(cause)
  if (code === 'ENOENT') return 'the file does not exist. Check its path.'
  if (code === 'EACCES') return 'this user may not read it. Change its permissions.'
  if (code === 'EISDIR') return 'it is a folder. Use a file in it.'
  return `${typeof code === 'string' ? code : 'unknown error'}. Check its path.`
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
