import { z } from 'zod'

const expected = 'expected a date and time with an offset, as 2026-09-01T12:00:00Z'

/**
 * A date-time that PostgreSQL holds and gives back, wherever one comes from outside: it has no year 0
 * and no BC in JSON, no offset of 16 hours, and nothing below a microsecond.
 */
export const dateTime = z.iso
  .datetime({ offset: true, error: expected, abort: true })
  .refine(isHeld, {
    error:
      'expected a time within the years 1 to 9999, an offset below 16 hours, and at most 6 digits ' +
      'behind the second',
  })

function isHeld(text: string): boolean {
  // Of the instant, since an offset can lead out of the years.
  const time = Date.parse(text)
  return held.test(text) && time >= first && time <= last
}

const held = /^[^.]+(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/
const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')
