import { z } from 'zod'

/** Text that PostgreSQL can store, without NUL and lone surrogates, and that fits on one line. */
export function plainText(max: number): z.ZodString {
  const pattern = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${max}}$`, 'u')
  return z.string().regex(pattern, `expected 1 to ${max} characters without control characters`)
}

/**
 * A date-time from outside that PostgreSQL stores without loss. PostgreSQL's JSON has no year 0 and
 * no BC, no offset of 16 hours or more, and nothing below a microsecond.
 */
export const dateTime = z.iso
  .datetime({
    offset: true,
    error: 'expected a date and time with an offset, such as 2026-09-01T12:00:00Z',
    abort: true,
  })
  .refine(isStorable, {
    error:
      'expected a time in the years 1 to 9999, an offset below 16 hours, and at most 6 digits after the second',
  })

function isStorable(text: string): boolean {
  // Of the instant, because an offset can move it out of these years.
  const instant = Date.parse(text)
  return storableForm.test(text) && instant >= first && instant <= last
}

const year = String.raw`(?:[1-9]\d{3}|0[1-9]\d{2}|00[1-9]\d|000[1-9])`
const time = String.raw`\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?`

/** The form of these times. Only `dateTime` knows the days of each month and the range of instants. */
export const dateTimePattern = String.raw`^${year}-\d{2}-\d{2}T${time}(?:Z|[+-](?:0\d|1[0-5]):\d{2})$`

const storableForm = new RegExp(dateTimePattern)
const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** Usage periods begin in 1970, and later due times also need a year with four digits. */
export function isClockTime(ms: number): boolean {
  return ms >= Date.parse('1970-01-01T00:00:00Z') && ms < Date.parse('9999-01-01T00:00:00Z')
}

// A source may use any scheme. Clients that validate responses by the description accept in the
// format `uri` neither non-ASCII letters nor a bare percent sign.
const escaped = '%[\\da-f]{2}'
const plain = `(?:[\\w.~!$&'()*+,;=:@/-]|${escaped})`
const literal = `//(?:(?:[\\w.~!$&'()*+,;=:-]|${escaped})*@)?\\[[\\da-f:.]+\\](?=[:/?#]|$)`
const uri = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?:${literal}${plain}*|${plain}+)(?:\\?(?:${plain}|\\?)*)?(?:#(?:${plain}|\\?)*)?$`,
  'i',
)

/** An absolute URI by RFC 3986 that `URL` can parse too. */
export const absoluteUri = z
  .string()
  .regex(uri, {
    error: 'expected an absolute URI, such as https://example.com/%C3%BC',
    abort: true,
  })
  .refine((text) => URL.canParse(text), 'expected a URI with a valid host and port')

/** The form of a provider or a type. Whether it exists is not checked. */
export const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'expected 1 to 64 of a-z, 0-9, ".", "_" and "-"')

export const destinationIdSchema = z.string().regex(/^dst_[0-9a-f]{24}$/)

/** A page size. A value out of range is rejected, not capped. */
export function pageSize(max: number) {
  return z
    .string()
    .regex(/^[1-9]\d{0,5}$/, `expected a whole number from 1 to ${max}`)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(50)
}

const whole = z.coerce.number<number>().int().min(1)

/** A page of a list, newest first. In a query every value is text. */
export const page = z.object({
  /** The id or position of the last row on the previous page. */
  before: whole.optional(),
  /** The maximum number of rows in the page; 100 if omitted. */
  limit: whole.max(1000).optional(),
})

export type Page = z.infer<typeof page>
