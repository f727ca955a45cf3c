import { z } from 'zod'
import { text, time } from '../event/formats.ts'

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

/** One private event of the key's account (R56–R65). */
export interface AccountEvent {
  /** Opaque and stable; means something to this account alone. */
  eventRef: string
  type: AccountEventType | (string & {})
  subject: {
    type: AccountSubjectType | (string & {})
    ref: string
    /** Safe for the owner to see. */
    label: string
  }
  occurredAt: string
  title: string
  summary: string | null
  integrityState: (typeof integrityStates)[number] | (string & {})
  /** The event that this one corrects. */
  correctionOfEventRef: string | null
  immediateEligible: boolean
  digestEligible: boolean
  /** Depends on the type. Every string in it is untrusted: escape it, and keep it out of prompts. */
  data: Record<string, unknown>
}

export const eventRefPattern = /^event_[0-9a-f]{48}$/
const subjectRefPattern = /^subject_[0-9a-f]{48}$/

const eventRef = text.regex(eventRefPattern, 'expected event_ and 48 lowercase hex characters')
const subjectRef = text.regex(
  subjectRefPattern,
  'expected subject_ and 48 lowercase hex characters',
)

/** What a consumer takes for an account event: unknown members and types are kept (R58). */
export const accountEventSchema = z.looseObject({
  eventRef,
  type: text,
  subject: z.looseObject({ type: text, ref: subjectRef, label: text }),
  occurredAt: time,
  title: text,
  summary: text.nullable(),
  integrityState: text,
  correctionOfEventRef: eventRef.nullable(),
  immediateEligible: z.boolean(),
  digestEligible: z.boolean(),
  data: z.record(text, z.unknown()),
}) satisfies z.ZodType<AccountEvent>
