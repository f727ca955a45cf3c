import { z } from 'zod'
import type { Verb } from '../command.ts'
import { inboxPause, inboxResume } from '../commands/inbox-pauses.ts'
import { inboxDiscard, inboxRelease } from '../commands/inbox-quarantine.ts'
import { inboxReprocess, inboxRetry } from '../commands/inbox-requeue.ts'
import { problem } from '../errors.ts'
import { filterInput, filterOptions } from './read-tools.ts'
import type { VerbOptions } from './run-verb.ts'
import { askInbox, defineTool, toAnswer, type ToolContext } from './tool.ts'
import texts from './tools.json' with { type: 'json' }

const reopenInput = {
  ids: z.array(z.string().min(1)).max(500).optional().describe(texts.inputs.ids),
  ...filterInput,
  dryRun: z.boolean().default(false).describe(texts.inputs.dryRun),
  confirm: z.int().min(0).optional().describe(texts.inputs.confirm),
}

const retry = defineTool({
  ...texts.retry,
  effect: 'writes',
  input: z.object(reopenInput),
  answer: (input, context) => reopen(inboxRetry, input, {}, context),
})

const reprocess = defineTool({
  ...texts.reprocess,
  effect: 'writes',
  input: z.object({
    ...reopenInput,
    effects: z.enum(['keep', 'again']).default('keep').describe(texts.inputs.effects),
  }),
  answer: ({ effects, ...input }, context) => reopen(inboxReprocess, input, { effects }, context),
})

/** Requeues entries. For a filter, `confirm` must be the number of entries that it matches. */
async function reopen(
  verb: Verb,
  { ids: operands = [], dryRun, confirm, ...filter }: z.output<z.ZodObject<typeof reopenInput>>,
  more: VerbOptions,
  context: ToolContext,
) {
  const options = { ...filterOptions(filter), ...more }
  if (operands.length === 0 || dryRun) {
    const call = { operands, options: { ...options, 'dry-run': true } }
    const counted = await askInbox(verb, call, context)
    if (dryRun || counted.hasFailed) return toAnswer(counted)
    const { wouldRetry, wouldReprocess, isExact } = Object(counted.result)
    const count = Number(wouldRetry ?? wouldReprocess)
    if (isExact === false) throw problem('usage', 'too_many_to_confirm')
    if (confirm !== count) throw problem('usage', 'confirm_count', { count })
  }
  const call = { operands, options: { ...options, by: context.by, yes: true } }
  return toAnswer(await askInbox(verb, call, context))
}

const types = z.array(z.string().min(1)).optional().describe(texts.inputs.types)

const pause = defineTool({
  ...texts.pause,
  effect: 'writes',
  input: z.object({ types, reason: z.string().min(1) }),
  async answer({ types: type, reason }, context) {
    const options = { type, reason, by: context.by }
    return toAnswer(await askInbox(inboxPause, { options }, context))
  },
})

const resume = defineTool({
  ...texts.resume,
  effect: 'writes',
  input: z.object({ types }),
  async answer({ types: type }, context) {
    return toAnswer(await askInbox(inboxResume, { options: { type, by: context.by } }, context))
  },
})

const release = settling(texts.release, inboxRelease)
const discard = settling(texts.discard, inboxDiscard)

function settling(text: typeof texts.release, verb: Verb) {
  return defineTool({
    ...text,
    effect: 'writes',
    input: z.object({ id: z.int().min(1).describe(texts.inputs.row) }),
    async answer({ id }, context) {
      const call = { operands: [String(id)], options: { by: context.by } }
      return toAnswer(await askInbox(verb, call, context))
    },
  })
}

export const writeTools = [retry, reprocess, pause, resume, release, discard]
