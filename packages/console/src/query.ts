import { listedStates } from '@feed-receiver/inbox/internal'
import type { HonoRequest } from 'hono'
import { bodyLimit } from 'hono/body-limit'
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

export const limitBody = bodyLimit({
  maxSize: 256 * 1_024,
  onError: () => {
    throw new Rejection(413, 'too_large', 'The body is too large. Send at most 256 KiB.')
  },
})

export async function readJson(req: HonoRequest): Promise<JsonObject> {
  const { success, data } = jsonObject.safeParse(await req.json().catch(() => null))
  if (success) return data
  throw new Rejection(400, 'not_json', 'The body is not a JSON object.')
}
