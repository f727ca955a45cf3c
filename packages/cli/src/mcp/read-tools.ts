import { quarantineReasons } from '@feed-receiver/core'
import { listedStates, quarantineStates } from '@feed-receiver/inbox'
import { z } from 'zod'
import type { Verb } from '../command.ts'
import { inboxList, inboxShow } from '../commands/inbox-entries.ts'
import { inboxQuarantineList } from '../commands/inbox-quarantine.ts'
import { inboxRejections } from '../commands/inbox-rejections.ts'
import { inboxGaps, inboxHealth } from '../commands/inbox-upkeep.ts'
import { explainEntry } from './explain-entry.ts'
import type { VerbAnswer } from './run-verb.ts'
import { askInbox, defineTool, toAnswer, type ToolContext } from './tool.ts'
import texts from './tools.json' with { type: 'json' }

/** The filter of entries. */
export const filterInput = {
  state: z.enum(listedStates).optional(),
  type: z.string().optional(),
  provider: z.string().optional(),
  category: z.string().optional(),
  subject: z.string().optional().describe(texts.inputs.subject),
  since: z.string().optional().describe(texts.inputs.since),
  until: z.string().optional().describe(texts.inputs.until),
  search: z.string().optional().describe(texts.inputs.search),
  minRevision: z.int().min(1).optional().describe(texts.inputs.minRevision),
}

const page = {
  limit: z.int().min(1).max(500).default(20),
  after: z.int().min(1).optional().describe(texts.inputs.after),
}

const oneEntry = z.object({ eventId: z.string().min(1) })

/** Converts this filter to the options of a verb. */
export function filterOptions({
  minRevision,
  ...filter
}: z.output<z.ZodObject<typeof filterInput>>) {
  return { ...filter, 'min-revision': minRevision }
}

const listEntries = defineTool({
  ...texts.listEntries,
  effect: 'reads',
  input: z.object({ ...filterInput, ...page }),
  async answer({ limit, after, ...filter }, context) {
    const options = { ...filterOptions(filter), limit, after }
    return toAnswer(await askInbox(inboxList, { options }, context))
  },
})

const showEntry = defineTool({
  ...texts.showEntry,
  effect: 'reads',
  input: oneEntry,
  async answer({ eventId }, context) {
    return toAnswer(await show(eventId, context))
  },
})

const explain = defineTool({
  ...texts.explainEntry,
  effect: 'reads',
  input: oneEntry,
  async answer({ eventId }, context) {
    const shown = await show(eventId, context)
    return { ...toAnswer(shown), says: shown.hasFailed ? [] : explainEntry(shown.result) }
  },
})

/** An entry without its Base64 body, which repeats `event`. */
async function show(eventId: string, context: ToolContext): Promise<VerbAnswer> {
  const shown = await askInbox(inboxShow, { operands: [eventId] }, context)
  const { bodyBase64: _, ...result } = Object(shown.result)
  return { ...shown, result }
}

const listQuarantine = defineTool({
  ...texts.listQuarantine,
  effect: 'reads',
  input: z.object({
    state: z.enum([...quarantineStates, 'all']).default('open'),
    reason: z.enum(quarantineReasons).optional(),
    ...page,
  }),
  async answer(options, context) {
    return toAnswer(await askInbox(inboxQuarantineList, { options }, context))
  },
})

const listGaps = defineTool({
  ...texts.listGaps,
  effect: 'reads',
  input: z.object({ kind: z.enum(['missed', 'pull_only']).default('missed'), ...page }),
  async answer({ kind, ...options }, context) {
    return toAnswer(await askInbox(inboxGaps, { options: { kind, ...options } }, context))
  },
})

const listRejections = defineTool({
  ...texts.listRejections,
  effect: 'reads',
  input: z.object({ hours: z.int().min(1).default(24) }),
  async answer(options, context) {
    return toAnswer(await askInbox(inboxRejections, { options }, context))
  },
})

const health = onHealth(texts.health, (answer) => answer)

const pauses = onHealth(texts.pauses, (answer) => ({
  ...answer,
  exitCode: 0,
  result: answer.hasFailed ? answer.result : { pauses: Object(answer.result).pauses ?? null },
}))

function onHealth(text: typeof texts.health, change: (answer: VerbAnswer) => VerbAnswer) {
  const verb: Verb = inboxHealth
  return defineTool({
    ...text,
    effect: 'reads',
    input: z.object({}),
    answer: async (_, context) => toAnswer(change(await askInbox(verb, {}, context))),
  })
}

export const readTools = [
  listEntries,
  showEntry,
  explain,
  health,
  listRejections,
  listQuarantine,
  listGaps,
  pauses,
]
