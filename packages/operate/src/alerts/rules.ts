import type { HealthProblem } from '@feed-receiver/inbox'
import {
  storedProblems,
  type AlertInputs,
  type StoredProblemCode,
} from '@feed-receiver/inbox/internal'

/** Everything that the rules read, from one point in time. */
export interface RuleInputs extends AlertInputs {
  /** The problems of the health, and the warnings that only it finds. */
  problems: readonly HealthProblem[]
}

/** One problem that a rule found. */
export interface Finding {
  /** The type, secret or stream it is about; '' if the rule covers the whole inbox. */
  subject: string
  message: string
}

/** When to notify of each problem of the inbox. */
export const ruleTable = {
  dead: notifyOf('dead', { openAfterMinutes: 0, closeAfterMinutes: 15 }),
  oldest_pending: notifyOf('oldest_pending', { openAfterMinutes: 2, closeAfterMinutes: 5 }),
  failure_rate: notifyOf('failure_rate', { openAfterMinutes: 5, closeAfterMinutes: 15 }),
  quarantine: notifyOf('quarantine', { openAfterMinutes: 0, closeAfterMinutes: 5 }),
  missed: notifyOf('missed', { openAfterMinutes: 5, closeAfterMinutes: 60 }),
  silence: notifyOf('silence', { openAfterMinutes: 5, closeAfterMinutes: 5 }),
  probable_pause: notifyOf('probable_pause', { openAfterMinutes: 5, closeAfterMinutes: 10 }),
  unknown_secret: notifyOf('unknown_secret', { openAfterMinutes: 60, closeAfterMinutes: 5 }),
  old_secret: notifyOf('old_secret', { openAfterMinutes: 0, closeAfterMinutes: 60 }),
  stream_gap: notifyOf('stream_gap', { openAfterMinutes: 0, closeAfterMinutes: 0 }),
  paused: notifyOf('paused_long', { openAfterMinutes: 0, closeAfterMinutes: 0 }),
  /**
   * The problems that only the health finds, such as events that cannot be stored. It opens at once,
   * because these last by definition, and only one process may see it.
   */
  problem: {
    message: 'The health reports the problem {subject}.',
    fix: 'Then check with `feed-receiver doctor` that all is well.',
    isOn: true,
    settings: { openAfterMinutes: 0, closeAfterMinutes: 5 },
    find: ({ problems }: RuleInputs): Finding[] =>
      problems.map(({ code, message }) => ({ subject: code, message })),
  },
}

export type AlertRuleName = keyof typeof ruleTable

/** Whether a text is the name of a rule. */
export function isRuleName(name: string): name is AlertRuleName {
  return Object.hasOwn(ruleTable, name)
}

/** What an alert has from its rule: no fix if that is one of another version. */
export function partsOfRule(name: string): { fix: string; isOptional: boolean } {
  if (!isRuleName(name)) return { fix: '', isOptional: false }
  const { fix, isOn } = ruleTable[name]
  return { fix, isOptional: !isOn }
}

type Find = (inputs: RuleInputs, settings: Readonly<Record<string, number>>) => Finding[]

/** How long a problem must last until its alert opens, and be over until it closes. */
type Timing = Record<'openAfterMinutes' | 'closeAfterMinutes', number>

function notifyOf<Code extends StoredProblemCode>(code: Code, timing: Timing) {
  const problem: (typeof storedProblems)[Code] = storedProblems[code]
  const { message, fix, isOptional } = problem
  const settings: (typeof problem)['settings'] & Timing = { ...problem.settings, ...timing }
  const find: Find = problem.find
  return { message, fix, isOn: !isOptional, settings, find }
}
