import { listedStates } from '@feed-receiver/inbox/internal'
import { z } from 'zod'
import { Rejection } from './rejection.ts'

/**
 * A text of a query or a body. An empty one, or another value, counts as missing. PostgreSQL does
 * not store NUL, so it is replaced, and a text with one matches nothing.
 */
export const text = z
  .unknown()
  .optional()
  .transform((value) =>
    typeof value === 'string' && value !== ''
      ? value.toWellFormed().replaceAll('\0', '\ufffd')
      : undefined,
  )

export const whole = text.pipe(
  z
    .string()
    .regex(/^\d{1,15}$/, 'use a whole number.')
    .transform(Number)
    .optional(),
)

export function oneOf<const Value extends string>(known: readonly Value[]) {
  return text.pipe(z.enum(known, `use one of ${known.join(', ')}.`).optional())
}

/** A filter of entries. */
export const filter = z.object({
  provider: text,
  type: text,
  category: text,
  subject: text,
  state: oneOf(listedStates),
  since: text,
  until: text,
  search: text,
  minRevision: whole,
  error: text,
})

/** The start and the size of a page. */
export const page = z.object({ after: whole, limit: whole.transform((given) => given ?? 50) })

/** @throws Rejection `bad_option` */
export function read<Query extends z.ZodType>(query: Query, given: object): z.output<Query> {
  const { success, data, error } = query.safeParse(given)
  if (success) return data
  const [{ path, message } = { path: [], message: '' }] = error.issues
  const name = path.at(-1)
  throw new Rejection(
    400,
    'bad_option',
    name === undefined ? message : `${String(name)}: ${message}`,
  )
}

const jsonObject = z.record(z.string(), z.unknown())

export type JsonObject = Readonly<z.output<typeof jsonObject>>

const maxBytes = 256 * 1_024

/**
 * Reads the JSON of a request, up to a maximum size. Requires its content type, because a foreign
 * form could send others.
 */
export async function readJson({ headers, body }: Request): Promise<JsonObject> {
  if (headers.get('content-type')?.split(';')[0] !== 'application/json') {
    throw new Rejection(415, 'not_json', 'Send JSON with the Content-Type application/json.')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes)
      throw new Rejection(413, 'too_large', 'The body is too large. Send at most 256 KiB.')
    chunks.push(chunk)
  }
  try {
    return jsonObject.parse(JSON.parse(Buffer.concat(chunks).toString()))
  } catch {
    throw new Rejection(400, 'not_json', 'The body is not a JSON object.')
  }
}
