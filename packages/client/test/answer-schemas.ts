import { z } from 'zod'
import {
  accountEventContract,
  accountEventSchema,
  accountEventsContract,
  apiEventSchema,
  usageSchema,
} from '../src/api/index.ts'

const page = { nextCursor: z.string().nullable(), hasMore: z.boolean(), usage: usageSchema }

/** A page of `/v1/events`, all of whose items can be read. */
export const eventPageSchema = z.looseObject({ data: z.array(apiEventSchema), ...page })

/** A page of `/v1/account-events`. */
export const accountEventPageSchema = z.looseObject({
  contractVersion: z.literal(accountEventsContract),
  data: z.array(accountEventSchema),
  ...page,
})

/** The answer to `/v1/account-events/{eventRef}`. */
export const accountEventAnswerSchema = z.looseObject({
  contractVersion: z.literal(accountEventContract),
  event: accountEventSchema,
  usage: usageSchema,
})
