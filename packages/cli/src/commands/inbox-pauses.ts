import type { PauseRow } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, required, text, texts } from '../options/option.ts'
import { oneLine } from '../output/format-table.ts'

export const inboxPause = defineCommand({
  options: {
    type: texts('--type <type>', 'only events of this type; repeatable (the whole inbox)'),
    reason: required(text('--reason <text>', 'reason for the pause, for others to read')),
    by: text('--by <name>', 'your name, recorded with the time'),
    force: flag('--force', 'pause a type that is neither documented nor stored'),
    ...inboxOptions,
  },
  notes: `
    Every worker stops claiming within a second, and running handlers finish. Deliveries are still
    accepted and stored. The pause is stored in the database, so it outlives deploys and restarts.
  `,
  examples: [
    "feed-receiver inbox pause --reason 'the pager is down' --by ada",
    "feed-receiver inbox pause --type outage_started --type outage_updated --reason 'wrong routing'",
  ],
  async run({ options }, context) {
    const { type: types, reason, by, force } = options
    const paused = await withInbox(options, context, (inbox) =>
      inbox.pause({ types, reason, by, force }),
    )
    const lines = paused.map((pause) => `Paused: ${describePaused(pause)}.`)
    context.out.result({ paused }, ...lines)
    context.out.hint('Workers stop claiming within a second. Deliveries are still stored.')
  },
})

export const inboxResume = defineCommand({
  options: {
    type: texts('--type <type>', 'paused type; repeatable (the whole inbox)'),
    by: text('--by <name>', 'your name, recorded with the time'),
    ...inboxOptions,
  },
  notes: `
    Without --type, the command ends the pause of the whole inbox. Types that were paused by name
    stay paused.
  `,
  examples: [
    'feed-receiver inbox resume --by ada',
    'feed-receiver inbox resume --type outage_started',
  ],
  async run({ options }, context) {
    const { type: types, by } = options
    const result = await withInbox(options, context, (inbox) => inbox.resume({ types, by }))
    const lines = result.resumed.map((pause) => `Resumed: ${describePaused(pause)}.`)
    context.out.result(result, ...lines)
    for (const pause of result.stillPaused) context.out.hint(`Still ${describePause(pause)}`)
  },
})

/** `paused: outage_started, since … by ada: the pager is down` */
export function describePause(pause: PauseRow): string {
  const { since, by, reason } = pause
  return `paused: ${describePaused(pause)}, since ${since}${by === null ? '' : ` by ${oneLine(by)}`}: ${oneLine(reason)}`
}

function describePaused({ type }: PauseRow): string {
  return type === null ? 'the whole inbox' : oneLine(type)
}
