import { fill } from '../errors.ts'
import type { Facts } from './read-facts.ts'
import json from './rules.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
export const texts = { ...json }

/** One problem that a rule found. */
export interface Finding {
  /** The type, secret or stream it is about; '' if the rule covers the whole inbox. */
  subject: string
  message: string
}

interface RuleRow<Setting extends string> {
  /** Whether the rule is on by default. */
  isOn: boolean
  settings: Record<Setting | 'openAfterMinutes' | 'closeAfterMinutes', number>
  look(facts: Facts, settings: Record<Setting, number>): Found[]
}

/** The values that a message names beside its subject. */
interface Found {
  text?: string
  [value: string]: string | number | undefined
}

/** Makes a rule with its texts. */
export function rule<Setting extends string>(name: keyof typeof texts, row: RuleRow<Setting>) {
  const { isOn, settings: defaults, look } = row
  const { message, fix } = texts[name]
  return {
    name,
    isOn,
    settings: defaults,
    message,
    fix,
    /** Returns the check with these settings instead of some defaults. */
    lookWith(given: Readonly<Record<string, number>>) {
      const settings = { ...defaults, ...given }
      return (facts: Facts): Finding[] =>
        look(facts, settings).map(({ text = message, ...values }) => {
          const subject = String(values['subject'] ?? '')
          return { subject, message: fill(text, { ...values, subject }) }
        })
    },
  }
}

export function foundIf(isFound: boolean, values: Found): Found[] {
  return isFound ? [values] : []
}
