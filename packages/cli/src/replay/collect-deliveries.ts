import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../errors.ts'
import { parseJson } from '../or-undefined.ts'
import { isObject, parseDelivery, readBytes, type Piped } from '../read-delivery.ts'
import type { CapturedDelivery } from '../conformance/explain/explain-delivery.ts'

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
export async function collectDeliveries(
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

/** A shuffled copy, the same for the same seed. */
export function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const keyOf = (at: number) => createHash('sha256').update(`${seed} ${at}`).digest('hex')
  return items
    .map((item, at) => ({ item, key: keyOf(at) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item)
}
