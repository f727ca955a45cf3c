import { z } from 'zod'
import { object, openText, text, time } from './formats.ts'

export const accountEventTypes = [
  'model_fit.transitioned',
  'capability.changed',
  'model_value.frontier_changed',
  'action.changed',
  'review.reopened',
] as const

export const accountSubjectTypes = [
  'model_fit_profile',
  'capability_profile',
  'model_value_workload',
  'action_queue_item',
  'customer_checklist',
] as const

export const integrityStates = ['active', 'corrected', 'retracted'] as const

export type AccountEventType = (typeof accountEventTypes)[number]
export type AccountSubjectType = (typeof accountSubjectTypes)[number]

export const eventRefPattern = /^event_[0-9a-f]{48}$/
const subjectRefPattern = /^subject_[0-9a-f]{48}$/
const ref = (kind: 'event' | 'subject', pattern: RegExp) =>
  text.regex(pattern, `expected ${kind}_ and 48 lowercase hex characters`)
const eventRef = ref('event', eventRefPattern)

/** One private event of the key's account. Unknown members and types are preserved. */
export const accountEventSchema = object({
  /** Opaque and stable; valid for this account only. */
  eventRef,
  type: openText<AccountEventType>(),
  subject: object({
    type: openText<AccountSubjectType>(),
    ref: ref('subject', subjectRefPattern),
    /** Safe for the owner to see. */
    label: text,
  }),
  occurredAt: time,
  title: text,
  summary: text.nullable(),
  integrityState: openText<(typeof integrityStates)[number]>(),
  /** The event that this one corrects. */
  correctionOfEventRef: eventRef.nullable(),
  immediateEligible: z.boolean(),
  digestEligible: z.boolean(),
  /** Depends on the type. Every string in it is untrusted: escape it and keep it out of prompts. */
  data: z.record(text, z.unknown()),
})

export type AccountEvent = z.infer<typeof accountEventSchema>

/** The required `contractVersion` of an account event page; any other halts the stream. */
export const accountEventsContract = 'account-events/2026-08-20.v1'
/** The required `contractVersion` of a single account event. */
export const accountEventContract = 'account-event/2026-08-20.v1'

/** How much of its monthly quota the account has used, across all its keys. */
export const usageSchema = object({
  /** Requests so far, this one included. */
  requests: z.int().min(0),
  limit: z.int().min(1),
  /** The month, as `YYYY-MM`. */
  period: text.regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'expected YYYY-MM'),
  resetsAt: time,
})

export type Usage = z.infer<typeof usageSchema>

/** The error body of the API: branch on `code` or on the status. */
export const apiErrorSchema = object({
  /** A message for people. */
  error: text,
  /** `invalid_request` is the only documented one; the set is open. */
  code: openText<'invalid_request'>(),
})

export type ApiError = z.infer<typeof apiErrorSchema>
