import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEvent } from '@feed-receiver/core/internal'
import { type Body, type Receiver, type ReceiverRequest } from '@feed-receiver/core'
import { SenderError } from '../errors.ts'

/** One recorded delivery, without its signature. */
export interface RecordedDelivery {
  id: string
  /** The exact bytes. */
  body: Uint8Array
  sha256: string
  /** Content-Type, Feed-Event-Id and Idempotency-Key, unchanged. */
  headers: Record<string, string>
}

/**
 * Makes a receiver record the deliveries that it accepts: the exact bytes in `<id>-<hash>.body`,
 * and the few headers without secrets in a `.json` file beside it. Signatures and credentials are
 * not recorded; a replay signs anew. The same bytes are recorded once.
 */
export function recordDeliveries(receiver: Receiver, { folder }: { folder: string }): Receiver {
  return {
    ...receiver,
    async receive(request) {
      const chunks: Uint8Array[] = []
      const body = copying(request.body, chunks)
      const reply = await receiver.receive({ ...request, body })
      const isAccepted = reply.status >= 200 && reply.status <= 299
      // A receiver never rejects, and the event itself is durable.
      if (isAccepted) await writeDelivery(folder, request, Buffer.concat(chunks)).catch(warn)
      return reply
    },
  }
}

/**
 * Reads the deliveries that `recordDeliveries` wrote, in the order of the file names.
 *
 * @throws SenderError `invalid_event` if a body differs from the recorded one.
 */
export async function readDeliveries(folder: string): Promise<RecordedDelivery[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted()
  return Promise.all(names.map((name) => readRecording(join(folder, name))))
}

// Only these, because an app may receive credentials of its own.
const recordedNames = ['Content-Type', 'Feed-Event-Id', 'Idempotency-Key']

function copying(body: Body, chunks: Uint8Array[]): Body {
  if (body === 'already_read') return body
  if (Symbol.asyncIterator in body) return eachCopied(body, chunks)
  const bytes = ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : new Uint8Array(body)
  chunks.push(bytes)
  return bytes
}

async function* eachCopied(body: AsyncIterable<Uint8Array>, chunks: Uint8Array[]) {
  for await (const chunk of body) {
    chunks.push(Uint8Array.from(chunk))
    yield chunk
  }
}

async function writeDelivery(
  folder: string,
  { headers }: ReceiverRequest,
  body: Uint8Array,
): Promise<void> {
  const found = recordedNames.map((name) => [name, valueOf(headers, name)])
  const recordedHeaders = Object.fromEntries(found.filter(([, value]) => value !== null))
  const id = valueOf(headers, 'Feed-Event-Id') ?? idIn(body)
  const sha256 = hashOf(body)
  const name = `${id.replaceAll(/[^\w.-]/g, '_').slice(0, 100)}-${sha256.slice(0, 12)}`
  const recorded = JSON.stringify({ id, sha256, headers: recordedHeaders }, null, 2)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.body`), body)
  await writeFile(join(folder, `${name}.json`), `${recorded}\n`)
}

function idIn(body: Uint8Array): string {
  const parsed = parseEvent(body)
  return ('event' in parsed ? parsed.event.id : parsed.eventId) ?? 'no_id'
}

function warn(error: unknown): void {
  process.emitWarning(`A delivery could not be recorded: ${String(error)}`)
}

function valueOf(headers: ReceiverRequest['headers'], name: string): string | null {
  const { get } = headers
  if (typeof get === 'function') return get.call(headers, name)
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())
  return found?.[1] === undefined ? null : String(found[1])
}

async function readRecording(path: string): Promise<RecordedDelivery> {
  const body = await readFile(path.replace(/\.json$/, '.body'))
  const recorded: unknown = JSON.parse(await readFile(path, 'utf8'))
  if (isRecorded(recorded) && hashOf(body) === recorded.sha256) return { ...recorded, body }
  throw new SenderError(
    'invalid_event',
    `${path} or the body beside it has changed since it was recorded. Restore both, and set ` +
      '`*.body binary` in .gitattributes.',
  )
}

function isRecorded(value: unknown): value is Omit<RecordedDelivery, 'body'> {
  if (typeof value !== 'object' || value === null) return false
  const { id, sha256, headers }: Record<string, unknown> = { ...value }
  return typeof id === 'string' && typeof sha256 === 'string' && typeof headers === 'object'
}

function hashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}
