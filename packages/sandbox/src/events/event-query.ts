import { z } from 'zod'
import { dateTime } from '../state/fields.ts'
import { cursorParameter, pageSize, slug } from '../server/query-parameters.ts'

/** The parameters of /v1/events. Others are ignored (R111). */
export const eventParameters = {
  limit: pageSize(200).describe('The most events that the page may hold.'),
  cursor: cursorParameter,
  provider: slug.optional().describe('Events of this provider only.'),
  type: slug.optional().describe('Events of this type only; `outage` is every step of an outage.'),
  confirmation: z
    .enum(['confirmed', 'all'])
    .default('confirmed')
    .describe('`all` adds early signals that are not confirmed.'),
  after: dateTime
    .optional()
    .meta({ deprecated: true })
    .describe(
      'Events first observed after this time. Can skip events that share a time: use cursor.',
    ),
}

export const eventQuery = z
  .object(eventParameters)
  .refine(({ cursor, after }) => cursor === undefined || after === undefined, {
    error: 'cursor and after exclude each other; use cursor',
  })

export type EventQuery = z.infer<typeof eventQuery>
