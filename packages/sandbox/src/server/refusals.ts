import { recognizeCopies } from '@feed-receiver/core'
import type { z } from 'zod'
import table from './refusals.json' with { type: 'json' }

// Copied, here and below, so that no declaration file imports JSON: TypeScript in the user's app
// rejects that.
/** The table of refusals: each reason with its response (R79). */
export const refusals = { ...table.refusals }

export type RefusalReason = keyof typeof refusals

export class Refusal extends Error {
  static {
    recognizeCopies(this, 'Refusal')
  }

  override name = 'Refusal'
  readonly reason: RefusalReason
  readonly headers: Record<string, string>

  constructor(
    reason: RefusalReason,
    { detail, headers = {} }: { detail?: string; headers?: Record<string, string> } = {},
  ) {
    // The name of an unknown member is repeated as received, and the journal stores only text.
    super((detail ?? refusals[reason].error).slice(0, 500).replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd'))
    this.reason = reason
    this.headers = headers
  }
}

/** @throws Refusal `not_found` for undefined */
export function found<Value>(value: Value | undefined, what: Parameters<typeof missing>[0]): Value {
  if (value === undefined) throw missing(what)
  return value
}

/**
 * Creates refusals for one reason, with the next step. `named` fills in the `{names}` in a text.
 */
function because<Name extends string>(reason: RefusalReason, texts: Record<Name, string>) {
  return (what: Name, named: Record<string, unknown> = {}): Refusal => {
    const fill = (_: string, name: string) => String(named[name])
    return new Refusal(reason, { detail: texts[what].replaceAll(/\{(\w+)\}/g, fill) })
  }
}

/** For an action that names something missing. Says where to find what exists. */
export const missing = because('not_found', { ...table.missing })
/** For an action that is not possible now. */
export const conflict = because('conflict', { ...table.conflicts })
/** For a delivery that cannot be sent, because its destination is not active. */
export const destinationNotActive = because('destination_not_active', { ...table.notActive })
export const badDestination = because('bad_destination', { ...table.badDestinations })
export const badParameter = because('bad_parameter', { ...table.badParameters })

const levels = 100

/** Validates input from outside. @throws Refusal `bad_parameter` */
export function parseInput<Input>(schema: z.ZodType<Input>, given: unknown): Input {
  // Deeper JSON can be parsed, but not be serialized again.
  if (isNestedDeeper(given, levels)) throw badParameter('too_deep', { levels })
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  // Says which parameters are wrong and how, without their values.
  const problems = parsed.error.issues.map(({ path, message }) => {
    const name = path.map(String).join('.')
    return name === '' ? message : `${name}: ${message}`
  })
  throw new Refusal('bad_parameter', { detail: `${problems.join('; ')}.` })
}

function isNestedDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (most === 0) return true
  return Object.values(value).some((one) => isNestedDeeper(one, most - 1))
}
