import { z } from 'zod'

// Any scheme, and no normalizing: the link stays unchanged, and the app that shows it decides
// which schemes to allow.
export const absoluteUri = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu

// A lone surrogate becomes U+FFFD in PostgreSQL, so that two ids would turn into one; a control
// character cannot stand in a header; and an index row holds about 2,700 bytes.
export const eventId = /^[^\p{Cc}\p{Cs}]{1,255}$/u

export const dateTime = z.regexes.datetime({ offset: true })

export const text = z.string()
export const time = z.iso.datetime({ offset: true })
export const uri = text.regex(absoluteUri, 'expected an absolute URI')
export const id = text.regex(
  eventId,
  'expected 1 to 255 well-formed characters without control characters',
)

/** An object schema that preserves unknown members. Its type names only the known ones. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape> {
  return z.looseObject(shape)
}

/** A text with documented values; the service may add more. */
export function openText<Named extends string>(): z.ZodType<Named | (string & {})> {
  return text
}

const evidence = z.record(text, z.unknown()).nullish()

export const benchmark = object({ current: evidence, previous: evidence })

/** The evidence of a benchmark; the service does not document its members. */
export type Benchmark = z.infer<typeof benchmark>
