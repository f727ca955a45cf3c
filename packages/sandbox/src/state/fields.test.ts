import { openDatabase, type Database } from '@feed-receiver/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTarget, describeOnEach, embedded } from '../../../../test/support/databases.ts'
import { dateTime } from './fields.ts'

describeOnEach('an accepted date-time on %s', (kind) => {
  let database: Database
  let drop: () => Promise<void>

  beforeAll(async () => {
    const made = await createTarget(kind)
    drop = made.drop
    database = openDatabase(made.target)
  })
  afterAll(async () => {
    await database.close()
    await drop()
  })

  it.each([
    '0001-01-01T00:00:00Z',
    '0099-12-31T23:59:59.999999Z',
    '1582-10-10T12:00:00Z',
    '1970-01-01T00:00:00-00:00',
    '2024-02-29T00:00:00.5+15:59',
    '2026-09-01T12:00:00.000001-15:59',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999999+01:00',
  ])('is stored and returned by the database: %s', embedded, async (text) => {
    expect(dateTime.safeParse(text).error).toBeUndefined()
    const { rows } = await database.query<{ at: Date }>('select $1::timestamptz as at', [text])
    expect(rows[0]?.at.getTime()).toBe(Date.parse(text))
    expect(rows[0]?.at.toISOString()).toMatch(/^\d{4}-/)
  })
})

describe('a date-time', () => {
  it.each([
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '10000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '-0001-01-01T00:00:00Z',
    '2026-01-01T00:00:00+16:00',
    '2026-01-01T00:00:00-16:00',
    '2026-01-01T00:00:00+23:59',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
    '2026-01-01T00:00:00.0000001Z',
    `2026-01-01T00:00:00.${'0'.repeat(300)}Z`,
    '2026-01-01T00:00:60Z',
    '2026-01-01T24:00:00Z',
    '2026-02-29T00:00:00Z',
    'infinity',
    'now',
    '',
  ])('is rejected if the database cannot store it: %.60s', (text) => {
    expect(dateTime.safeParse(text).error?.issues).toMatchObject([
      { message: expect.stringMatching(/^expected a /) },
    ])
  })
})
