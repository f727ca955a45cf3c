import { z } from 'zod'
import type { ListedVerb } from '../command.ts'
import { UsageError } from '../errors.ts'
import { entryFilterOptions } from '../options/entry-options.ts'
import { askInbox, defineTool, toAnswer, type Tool } from './tool.ts'
import { inputOf, loadVerb, type VerbToolSpec } from './verb-tool.ts'

const confirmed = {
  ids: z
    .array(z.string().min(1))
    .max(500)
    .optional()
    .describe('event ids; without them, the filter selects the entries'),
  dryRun: z.boolean().default(false).describe('only count the entries'),
  confirm: z
    .int()
    .min(0)
    .optional()
    .describe('for a filter: the count that dryRun returned, so that no other entries are changed'),
}

/** A tool that requeues entries. For a filter, `confirm` must be the number that it matches. */
async function requeueTool(
  verbs: readonly ListedVerb[],
  wanted: string,
  tool: Pick<Tool, 'name' | 'title'>,
  more: readonly string[] = [],
): Promise<Tool> {
  const { verb, description } = await loadVerb(verbs, wanted)
  const filter = inputOf(verb, [...Object.keys(entryFilterOptions), ...more])
  return defineTool({
    ...tool,
    description: `${description} With a filter, first set dryRun, and then confirm with the count.`,
    effect: 'writes',
    input: z.object({ ...filter, ...confirmed }),
    async answer({ ids: operands = [], dryRun, confirm, ...options }, context) {
      if (operands.length === 0 || dryRun) {
        const call = { operands, options: { ...options, dryRun: true } }
        const counted = await askInbox(verb, call, context)
        if (dryRun || counted.hasFailed) return toAnswer(counted)
        const { wouldRetry, wouldReprocess, isExact } = Object(counted.result)
        const count = Number(wouldRetry ?? wouldReprocess)
        if (isExact === false) {
          throw new UsageError(
            'The filter matches too many entries to count. Narrow it, for example with since and until.',
          )
        }
        if (confirm !== count) {
          throw new UsageError(
            `This changes ${count} entries. To go ahead, call again with confirm: ${count}.`,
          )
        }
      }
      const call = { operands, options: { ...options, by: context.by, yes: true } }
      return toAnswer(await askInbox(verb, call, context))
    },
  })
}

const row = { name: 'id', schema: z.int().min(1).describe('id of a row of feed_quarantine_list') }

/** The verbs that change the inbox. */
export const writeVerbs: readonly VerbToolSpec[] = [
  {
    name: 'feed_inbox_pause',
    title: 'Pause handling',
    verb: 'inbox pause',
    options: ['type', 'reason'],
  },
  {
    name: 'feed_inbox_resume',
    title: 'Resume handling',
    verb: 'inbox resume',
    options: ['type'],
  },
  {
    name: 'feed_quarantine_release',
    title: 'Release from quarantine',
    verb: 'inbox release',
    operand: row,
  },
  {
    name: 'feed_quarantine_discard',
    title: 'Discard from quarantine',
    verb: 'inbox discard',
    operand: row,
  },
]

/** The tools that requeue entries. */
export async function requeueTools(verbs: readonly ListedVerb[]): Promise<Tool[]> {
  return [
    await requeueTool(verbs, 'inbox retry', {
      name: 'feed_inbox_retry',
      title: 'Retry dead or failing events',
    }),
    await requeueTool(
      verbs,
      'inbox reprocess',
      { name: 'feed_inbox_reprocess', title: 'Reprocess handled events' },
      ['effects'],
    ),
  ]
}
