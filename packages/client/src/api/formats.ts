import { z } from 'zod'

// The patterns are those of `parseEvent`: an event means the same on both routes.
export const text = z.string()
export const time = z.iso.datetime({ offset: true })
export const uri = text.regex(/^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu, 'expected an absolute URI')
export const id = text.regex(
  /^[^\p{Cc}\p{Cs}]{1,255}$/u,
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
