import { limitsOf, type StoredSettings } from '@feed-receiver/inbox/internal'
import { checkOption } from '../errors.ts'
import { isRuleName, ruleTable } from './rules.ts'
import type { AlertRuleName, Finding, RuleInputs } from './rules.ts'

/**
 * Turns rules on or off and changes their settings: `false` turns a rule off, `true` turns one on,
 * and numbers replace its defaults. Use the same value in every process of one inbox.
 */
export type AlertRuleOptions = {
  readonly [Name in AlertRuleName]?:
    | boolean
    | Partial<Readonly<(typeof ruleTable)[Name]['settings']>>
    | undefined
}

/** A rule with its settings. */
export interface ResolvedRule {
  name: AlertRuleName
  isOn: boolean
  openAfterMinutes: number
  closeAfterMinutes: number
  detect(inputs: RuleInputs): Finding[]
}

/**
 * Returns every rule, and how far back their inputs reach. Errors: `OperateError` `bad_option` for
 * unknown rules and settings, and for numbers out of range.
 */
export function resolveRules(options: AlertRuleOptions = {}) {
  const names = Object.keys(ruleTable).filter(isRuleName)
  const unknown = Object.keys(options).find((name) => !isRuleName(name))
  const hint = `rules: there is no rule ${String(unknown)}. Use ${names.join(', ')}.`
  checkOption(unknown === undefined, hint)
  const given = names.map((name) => [name, readSettings(name, options[name])] as const)
  const all: StoredSettings = Object.fromEntries(given)
  return {
    rules: given.map(([name, own]): ResolvedRule => {
      const { isOn, settings, find } = ruleTable[name]
      const { openAfterMinutes, closeAfterMinutes } = { ...settings, ...own }
      const choice = options[name] ?? isOn
      const detect = (inputs: RuleInputs) => find(inputs, own)
      return { name, isOn: choice !== false, openAfterMinutes, closeAfterMinutes, detect }
    }),
    limits: limitsOf(all),
  }
}

function readSettings(name: AlertRuleName, choice: unknown): Record<string, number> {
  if (choice === undefined || typeof choice === 'boolean') return {}
  const known = Object.keys(ruleTable[name].settings)
  const isObject = typeof choice === 'object' && choice !== null && !Array.isArray(choice)
  const form = `rules.${name}: use true, false or an object with some of ${known.join(', ')}.`
  checkOption(isObject, form)
  const settings = Object.entries(choice ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    settings.map(([setting, value]) => {
      checkOption(known.includes(setting), form)
      return [setting, readSetting(`rules.${name}.${setting}`, setting, value)]
    }),
  )
}

const yearInMinutes = 366 * 24 * 60

/** The minimum and the maximum of each setting. */
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  count: [1, 1_000],
  percent: [1, 100],
  minutes: [1, yearInMinutes],
  hours: [0.1, yearInMinutes / 60],
  days: [0.1, 366],
  openAfterMinutes: [0, yearInMinutes],
  closeAfterMinutes: [0, yearInMinutes],
}

function readSetting(name: string, setting: string, value: unknown): number {
  const [least, most] = ranges[setting] ?? [0, 0]
  const isCount = setting === 'count'
  const isFine =
    typeof value === 'number' &&
    value >= least &&
    value <= most &&
    (!isCount || Number.isInteger(value))
  const kind = isCount ? 'a whole number' : 'a number'
  checkOption(isFine, `${name}: use ${kind} from ${least} to ${most}, not ${String(value)}.`)
  return isFine ? value : least
}
