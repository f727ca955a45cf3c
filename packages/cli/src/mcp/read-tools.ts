import { z } from 'zod'
import { entryFilterOptions, pageOptions } from '../options/entry-options.ts'
import { inboxShow } from '../commands/inbox-entries.ts'
import { inboxHealth } from '../commands/inbox-upkeep.ts'
import { explainEntry } from './explain-entry.ts'
import type { VerbAnswer } from './run-verb.ts'
import { askInbox, defineTool, toAnswer, type Tool, type ToolContext } from './tool.ts'
import type { VerbToolSpec } from './verb-tool.ts'

const page = Object.keys(pageOptions)
const oneEntry = z.object({ eventId: z.string().min(1) })

/** An entry without its Base64 body, which repeats `event`. */
async function showEntry(eventId: string, context: ToolContext): Promise<VerbAnswer> {
  const shown = await askInbox(inboxShow, { operands: [eventId] }, context)
  const { bodyBase64: _, ...result } = Object(shown.result)
  return { ...shown, result }
}

/** The verbs that read the inbox. */
export const readVerbs: readonly VerbToolSpec[] = [
  {
    name: 'feed_inbox_list',
    title: 'List inbox events',
    verb: 'inbox list',
    options: [...Object.keys(entryFilterOptions), ...page],
  },
  {
    name: 'feed_inbox_health',
    title: 'Check the inbox',
    verb: 'inbox health',
  },
  {
    name: 'feed_rejections_list',
    title: 'List rejected deliveries',
    verb: 'inbox rejections',
    options: ['hours'],
  },
  {
    name: 'feed_quarantine_list',
    title: 'List quarantined deliveries',
    verb: 'inbox quarantine list',
    options: ['state', 'reason', ...page],
  },
  {
    name: 'feed_gaps_list',
    title: 'List gaps in the feed',
    verb: 'inbox gaps',
    options: ['kind', ...page],
  },
]

/** The tools that change the answer of a verb. */
export const readTools: readonly Tool[] = [
  defineTool({
    name: 'feed_inbox_show',
    title: 'Show one event',
    description:
      'Shows everything stored about one event: its content, attempts, last error and revisions.',
    effect: 'reads',
    input: oneEntry,
    answer: async ({ eventId }, context) => toAnswer(await showEntry(eventId, context)),
  }),
  defineTool({
    name: 'feed_inbox_explain',
    title: 'Explain one event',
    description:
      'Explains what happened to one event, why it is pending or dead, and what to do next.',
    effect: 'reads',
    input: oneEntry,
    async answer({ eventId }, context) {
      const shown = await showEntry(eventId, context)
      return { ...toAnswer(shown), says: shown.hasFailed ? [] : explainEntry(shown.result) }
    },
  }),
  defineTool({
    name: 'feed_inbox_pauses',
    title: 'List pauses',
    description: 'Lists what is paused, since when, by whom and why.',
    effect: 'reads',
    input: z.object({}),
    async answer(_, context) {
      const answer = toAnswer(await askInbox(inboxHealth, {}, context))
      if (answer.hasFailed) return answer
      return {
        ...answer,
        ok: true,
        untrusted: { pauses: Object(answer.untrusted).pauses ?? null },
      }
    },
  }),
]
