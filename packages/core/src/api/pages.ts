import { z } from 'zod'
import { accountEventSchema, type AccountEvent } from './account-event.ts'
import { apiEventSchema, type ApiEvent } from '../event/api-event.ts'
import { usageSchema, type Usage } from './usage.ts'

/** What `contractVersion` of a page of account events must say; another halts the stream (R135). */
export const accountEventsContract = 'account-events/2026-08-20.v1'
/** What `contractVersion` of a single account event must say. */
export const accountEventContract = 'account-event/2026-08-20.v1'

/** A page of `/v1/events` (R108). */
export interface EventPage {
  data: ApiEvent[]
  /** Opaque: never read, changed or made (R98). */
  nextCursor: string | null
  hasMore: boolean
  usage: Usage
}

/** A page of `/v1/account-events` (R132). */
export interface AccountEventPage {
  contractVersion: string
  data: AccountEvent[]
  nextCursor: string | null
  hasMore: boolean
  usage: Usage
}

/** The answer to `/v1/account-events/{eventRef}` (R136). */
export interface AccountEventAnswer {
  contractVersion: string
  event: AccountEvent
  usage: Usage
}

const page = { nextCursor: z.string().nullable(), hasMore: z.boolean(), usage: usageSchema }

export const eventPageSchema = z.looseObject({
  data: z.array(apiEventSchema),
  ...page,
}) satisfies z.ZodType<EventPage>

export const accountEventPageSchema = z.looseObject({
  contractVersion: z.literal(accountEventsContract),
  data: z.array(accountEventSchema),
  ...page,
}) satisfies z.ZodType<AccountEventPage>

export const accountEventAnswerSchema = z.looseObject({
  contractVersion: z.literal(accountEventContract),
  event: accountEventSchema,
  usage: usageSchema,
}) satisfies z.ZodType<AccountEventAnswer>
