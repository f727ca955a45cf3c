import { once } from 'node:events'
import {
  alertRules,
  createAlerts,
  toSlack,
  toStderr,
  toWebhook,
} from '@feed-receiver/operate/alerts'
import type { AlertRuleOptions, Notify } from '@feed-receiver/operate/alerts'
import { defineCommand, type Context } from '../command.ts'
import { UsageError } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, parsed, texts } from '../options/option.ts'
import { parseInterval } from '../options/values.ts'
import { formatTable } from '../output/format-table.ts'
import { fixesOf } from '../read-alerts.ts'

export const watchAlerts = defineCommand({
  options: {
    once: flag('--once', 'check once, print open alerts and exit, with code 1 if one is open'),
    notify: texts(
      '--notify <how>',
      'stderr, webhook=<NAME|url> or slack=<NAME|url>; repeatable (stderr)',
    ),
    interval: parsed(
      '--interval <time>',
      'time between checks, such as 30s or 5m (60s)',
      parseInterval,
    ),
    rule: texts(
      '--rule <name=…>',
      'set a rule: dead=off, silence=on or silence.hours=6; repeatable',
    ),
    ...inboxOptions,
  },
  notes: `
    The app adds the alerts: createAlerts({ inbox, notify }) from @feed-receiver/operate/alerts. It
    need not start them.

    NAME is an environment variable with the URL. The URL is a secret and is never printed. Every
    process that checks one inbox must use the same rules: each run of this command, and the app if
    it checks by itself. Each alert is sent at least once, by one process.

    With --json, each opened and each closed alert is a line of type notified, and --once ends with
    a line of type checked.
  `,
  examples: [
    'feed-receiver alerts --notify stderr --notify slack=FEED_SLACK_URL',
    'feed-receiver alerts --once --rule silence.hours=6',
  ],
  async run({ options }, context) {
    const { out, signal } = context
    const { once: isOnce = false, notify = ['stderr'], interval = 60, rule = [] } = options
    const notifies = notify.map((how) => readNotify(how, context))
    let failures = 0
    const rules = readRules(rule)
    const settings = {
      rules,
      // First, so that a script reads each alert once, even if another channel fails.
      notify: [(alert: object) => out.json({ type: 'notified', ...alert }), ...notifies],
      intervalMs: interval * 1_000,
      onError: (error: unknown) => {
        failures += 1
        out.warn(error)
      },
    }
    return await withInbox(options, context, async (inbox) => {
      await using alerts = createAlerts({ ...settings, inbox })
      // Rejects if the inbox has no tables for alerts, which a command does not create.
      await alerts.list({ limit: 1 })
      if (!isOnce) {
        out.note('Watching until Ctrl-C.')
        await alerts.start()
        if (!signal.aborted) await once(signal, 'abort')
        return 0
      }
      await alerts.check()
      const found = await alerts.list({ state: 'open' })
      const open = found.filter((alert) => isOn(alert.rule, rules))
      const switchedOff = found.filter((alert) => !isOn(alert.rule, rules))
      const rows = open.map(({ id, rule: name, openedAt, message }) => {
        return { id, rule: name, opened: openedAt, message }
      })
      const lines = [...formatTable(rows, out.columns), ...fixesOf(open)]
      out.result({ type: 'checked', open, switchedOff }, ...lines)
      for (const { id, rule: name } of switchedOff) {
        out.note(
          `Alert ${id} is still open but does not count, because its rule ${name} is off here.`,
        )
      }
      if (found.length === 0) out.hint('No alert is open.')
      return open.length + failures === 0 ? 0 : 1
    })
  },
})

/** Reads `stderr`, `webhook=<url>` or `slack=<url>`. A variable may hold the URL. */
function readNotify(written: string, { out, env }: Context): Notify {
  if (written === 'stderr') return toStderr(out.note)
  const [, kind, target = ''] = /^(webhook|slack)=(.+)$/.exec(written) ?? []
  // The error does not quote it, because it may be a URL with a secret.
  if (kind === undefined)
    throw new UsageError('--notify must be stderr, webhook=<NAME|url> or slack=<NAME|url>.')
  const isName = /^[A-Z][A-Z0-9_]*$/.test(target)
  const url = isName ? (env[target] ?? '') : target
  if (isName && url === '')
    throw new UsageError(
      `The variable ${target} is not set in the environment or in ./.env. Set it to the URL for --notify.`,
    )
  if (!isName) {
    out.note(
      'warning: a URL on the command line stays in your shell history and is visible in ps. ' +
        `Use --notify ${kind}=<NAME> with an environment variable.`,
    )
  }
  out.hide(url)
  return kind === 'slack' ? toSlack(url) : toWebhook(url)
}

/** Reads `dead=off`, `silence=on` and `silence.hours=6`. `createAlerts` validates the names of rules. */
function readRules(written: readonly string[]): AlertRuleOptions {
  const rules = new Map<string, boolean | Record<string, number | string>>()
  for (const one of written) {
    const [, name = '', setting, value = ''] = /^(\w+)(?:\.(\w+))?=(.+)$/.exec(one) ?? []
    if (setting !== undefined) {
      rules.set(name, { ...Object(rules.get(name)), [setting]: numberOrText(value) })
    } else if (value === 'off') rules.set(name, false)
    else if (value === 'on') {
      // Settings turn a rule on, too.
      if (typeof rules.get(name) !== 'object') rules.set(name, true)
    } else
      throw new UsageError(
        `--rule ${one} is invalid. Use a form such as dead=off, silence=on or silence.hours=6.`,
      )
  }
  return Object.fromEntries(rules)
}

/** Leaves a text that is no number as text, so that `createAlerts` can quote it in its error. */
function numberOrText(value: string): number | string {
  const number = Number(value)
  return value.trim() === '' || Number.isNaN(number) ? value : number
}

/** Whether a rule is on here. Alerts of other rules stay open until their cause is gone. */
function isOn(name: string, rules: AlertRuleOptions): boolean {
  const rule = alertRules.find((known) => known.name === name)
  return rule !== undefined && (rules[rule.name] ?? rule.isOn) !== false
}
