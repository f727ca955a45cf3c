import { z } from 'zod'
import { object, openText, text, time } from '../event/formats.ts'

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

/** One private event of the key's account (R56–R65). Unknown members and types are kept (R58). */
export const accountEventSchema = object({
  /** Opaque and stable; means something to this account alone. */
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
  /** Depends on the type. Every string in it is untrusted: escape it, and keep it out of prompts. */
  data: z.record(text, z.unknown()),
})

export type AccountEvent = z.infer<typeof accountEventSchema>
