import type { PauseRow } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import { problem } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, text, texts } from '../options/option.ts'
import { oneLine } from '../output/format-table.ts'

export const inboxPause = defineCommand('inbox pause', {
  options: { type: texts, reason: text, by: text, force: flag, ...inboxOptions },
  async run({ options }, context) {
    const { type: types, reason, by, force } = options
    if (reason === undefined) throw problem('usage', 'no_reason')
    const paused = await withInbox(options, context, (inbox) =>
      inbox.pause({ types, reason, by, force }),
    )
    const lines = paused.map((pause) => `Paused: ${nameOf(pause)}.`)
    context.out.result({ paused }, ...lines)
    context.out.hint('Workers stop claiming within a second. Deliveries are still stored.')
    return 0
  },
})

export const inboxResume = defineCommand('inbox resume', {
  options: { type: texts, by: text, ...inboxOptions },
  async run({ options }, context) {
    const { type: types, by } = options
    const result = await withInbox(options, context, (inbox) => inbox.resume({ types, by }))
    const lines = result.resumed.map((pause) => `Resumed: ${nameOf(pause)}.`)
    context.out.result(result, ...lines)
    for (const pause of result.stillPaused) context.out.hint(`Still ${describePause(pause)}`)
    return 0
  },
})

/** `paused: outage_started, since … by ada: the pager is down` */
export function describePause(pause: PauseRow): string {
  const { since, by, reason } = pause
  return `paused: ${nameOf(pause)}, since ${since}${by === null ? '' : ` by ${oneLine(by)}`}: ${oneLine(reason)}`
}

function nameOf({ type }: PauseRow): string {
  return type === null ? 'the whole inbox' : oneLine(type)
}
