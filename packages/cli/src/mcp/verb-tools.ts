import type { EntryDetails } from '@feed-receiver/inbox'
import { fixtures } from '@feed-receiver/sender'
import { z } from 'zod'
import type { ListedVerb, Verb } from '../command.ts'
import { UsageError } from '../errors.ts'
import { entryFilterOptions, pageOptions } from '../options/entry-options.ts'
import type { TypedOption } from '../options/option.ts'
import { explainEntry } from './explain-entry.ts'
import {
  defineTool,
  runVerb,
  type Answer,
  type OptionValue,
  type Tool,
  type VerbOptions,
} from './tool.ts'

/** A tool that runs a verb. Its description is the help of the verb, and its inputs are options. */
interface VerbTool<Shape extends z.ZodRawShape> extends Pick<Tool, 'name' | 'title'> {
  verb: string
  effect?: Tool['effect']
  /** @default true */
  usesInbox?: boolean
  /** Replaces the help of the verb. */
  description?: string
  /** Follows the description. */
  hint?: string
  /** The options of the verb that an agent may set. */
  options?: readonly string[]
  input: Shape
  answer(input: z.output<z.ZodObject<Shape>>, ask: Ask, options: VerbOptions): Promise<Answer>
}

type OptionTool = Omit<VerbTool<{}>, 'input' | 'answer'>

/** Runs the verb on the inbox of this server. */
type Ask = (operands: string[], options?: VerbOptions) => Promise<Answer>

const filters = Object.keys(entryFilterOptions)
const page = Object.keys(pageOptions)
const oneEntry = { eventId: z.string().min(1) }
const oneRow = { id: z.int().min(1).describe('id of a row of feed_quarantine_list') }
const url = z
  .string()
  .describe('URL of the receiver; on this machine, unless the server was started with --remote')

export function loadVerbTools(verbs: readonly ListedVerb[]): Promise<Tool[]> {
  return Promise.all(verbTools.map((load) => load(verbs)))
}

const verbTools = [
  optionTool({
    name: 'feed_inbox_list',
    title: 'List inbox events',
    verb: 'inbox list',
    options: [...filters, ...page],
  }),
  verbTool({
    name: 'feed_inbox_show',
    title: 'Show one event',
    verb: 'inbox show',
    description:
      'Shows everything stored about one event: its content, attempts, last error and revisions.',
    input: oneEntry,
    answer: async ({ eventId }, ask) => withoutBody(await ask([eventId])),
  }),
  verbTool({
    name: 'feed_inbox_explain',
    title: 'Explain one event',
    verb: 'inbox show',
    description:
      'Explains what happened to one event, why it is pending or dead, and what to do next.',
    input: oneEntry,
    async answer({ eventId }, ask) {
      const shown = withoutBody(await ask([eventId]))
      if (shown.hasFailed) return shown
      // Its own verb has just written it.
      const entry = z.custom<EntryDetails>().parse(shown.untrusted)
      return { ...shown, says: explainEntry(entry) }
    },
  }),
  optionTool({
    name: 'feed_inbox_errors',
    title: 'List the errors of failed events',
    verb: 'inbox errors',
  }),
  optionTool({ name: 'feed_inbox_health', title: 'Check the inbox', verb: 'inbox health' }),
  verbTool({
    name: 'feed_inbox_pauses',
    title: 'List pauses',
    verb: 'inbox health',
    description: 'Lists what is paused, since when, by whom and why.',
    input: {},
    async answer(_, ask) {
      const health = await ask([])
      if (health.hasFailed) return health
      return { ...health, ok: true, untrusted: { pauses: Object(health.untrusted).pauses ?? null } }
    },
  }),
  optionTool({
    name: 'feed_rejections_list',
    title: 'List rejected deliveries',
    verb: 'inbox rejections',
    options: ['hours'],
  }),
  optionTool({
    name: 'feed_quarantine_list',
    title: 'List quarantined deliveries',
    verb: 'inbox quarantine list',
    options: ['state', 'reason', ...page],
  }),
  optionTool({
    name: 'feed_gaps_list',
    title: 'List gaps in the feed',
    verb: 'inbox gaps',
    options: ['kind', ...page],
  }),
  verbTool({
    name: 'feed_send',
    title: 'Send a test event',
    verb: 'send',
    effect: 'sends',
    usesInbox: false,
    description:
      'Sends one signed fixture event of a type to a receiver, and shows the result of each attempt.',
    options: ['set'],
    input: {
      // Fixtures only: this tool must not read files of this machine.
      type: z.enum(fixtures.map(({ type }) => type)),
      url,
      newId: z
        .boolean()
        .default(true)
        .describe(
          'true uses a new event id; false uses the fixed one of the fixture, so a second call sends a duplicate',
        ),
    },
    answer: ({ type, url: to, newId }, ask, { set }) => ask([type], { to, newId, set }),
  }),
  verbTool({
    name: 'feed_check',
    title: 'Check a receiver',
    verb: 'check',
    effect: 'sends',
    description:
      'Checks a receiver against the whole contract with about 200 test deliveries, which it may store. Can take a few minutes, in which other tools wait if the database is embedded.',
    input: { url },
    // The operator who started the server has already allowed other machines.
    answer: ({ url: to }, ask) => ask([to], { yes: true }),
  }),
  verbTool({
    name: 'feed_doctor',
    title: 'Diagnose the installation',
    verb: 'doctor',
    effect: 'sends',
    description:
      'Checks the secret, the inbox and, with a url, the receiver by test deliveries. Says how to fix each problem.',
    input: { url: url.optional() },
    answer: ({ url: given }, ask) => ask([], { url: given }),
  }),
  requeueTool({
    name: 'feed_inbox_retry',
    title: 'Retry dead or failing events',
    verb: 'inbox retry',
    options: filters,
  }),
  requeueTool({
    name: 'feed_inbox_reprocess',
    title: 'Reprocess handled events',
    verb: 'inbox reprocess',
    options: [...filters, 'effects'],
  }),
  optionTool({
    name: 'feed_inbox_pause',
    title: 'Pause handling',
    verb: 'inbox pause',
    effect: 'writes',
    options: ['type', 'reason'],
  }),
  optionTool({
    name: 'feed_inbox_resume',
    title: 'Resume handling',
    verb: 'inbox resume',
    effect: 'writes',
    options: ['type'],
  }),
  verbTool({
    name: 'feed_quarantine_release',
    title: 'Release from quarantine',
    verb: 'inbox release',
    effect: 'writes',
    input: oneRow,
    answer: ({ id }, ask) => ask([String(id)]),
  }),
  verbTool({
    name: 'feed_quarantine_discard',
    title: 'Discard from quarantine',
    description:
      'Discards one delivery in quarantine. Its bytes stay stored. This cannot be undone.',
    verb: 'inbox discard',
    effect: 'writes',
    input: oneRow,
    answer: ({ id }, ask) => ask([String(id)]),
  }),
]

/** A tool that requeues entries. For a filter, `confirm` must be the number that it matches. */
function requeueTool(tool: OptionTool) {
  return verbTool({
    ...tool,
    effect: 'writes',
    hint: 'With a filter, first set dryRun, and then confirm with the count.',
    input: {
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
        .describe(
          'for a filter: the count that dryRun returned, so that no other entries are changed',
        ),
    },
    async answer({ ids = [], dryRun, confirm }, ask, options) {
      if (ids.length === 0 || dryRun) {
        const counted = await ask(ids, { ...options, dryRun: true })
        if (dryRun || counted.hasFailed) return counted
        const { wouldRetry, wouldReprocess, isExact } = Object(counted.untrusted)
        const count = Number(wouldRetry ?? wouldReprocess)
        if (isExact === false)
          throw new UsageError(
            'The filter matches too many entries to count. Narrow it, for example with since and until.',
          )
        if (confirm !== count)
          throw new UsageError(
            `This changes ${count} entries. To go ahead, call again with confirm: ${count}.`,
          )
      }
      return await ask(ids, { ...options, yes: true })
    },
  })
}

function optionTool(tool: OptionTool) {
  return verbTool({ ...tool, input: {}, answer: (_, ask, options) => ask([], options) })
}

/** Returns a function that loads the tool. A change is recorded under the name of `--by`. */
function verbTool<Shape extends z.ZodRawShape>({
  verb: wanted,
  effect = 'reads',
  usesInbox = true,
  description,
  hint,
  options = [],
  input,
  answer,
  ...tool
}: VerbTool<Shape>) {
  return async (verbs: readonly ListedVerb[]): Promise<Tool> => {
    const listed = verbs.find(({ name }) => name === wanted)
    if (!listed) throw new Error(`There is no verb ${wanted}.`)
    const verb = await listed.load()
    const help = description === undefined ? [`${listed.summary}.`, ...verb.notes] : [description]
    const [own, chosen] = [z.object(input), z.object(inputOf(verb, options))]
    return defineTool({
      ...tool,
      effect,
      usesInbox,
      description: [...help, ...(hint === undefined ? [] : [hint])].join(' '),
      input: z.object({ ...chosen.shape, ...input }),
      async answer(given, context) {
        const shared = {
          ...(usesInbox && context.inbox),
          ...(effect === 'writes' && { by: context.by }),
        }
        const ask: Ask = (operands, more) =>
          runVerb(verb, { operands, options: { ...more, ...shared } }, context)
        return await answer(own.parse(given), ask, chosen.parse(given))
      },
    })
  }
}

/** The input of a tool for these options of a verb, which their help describes. */
function inputOf(verb: Verb, names: readonly string[]) {
  const inputs = names.map((name) => {
    const option = verb.options[name]
    if (!option) throw new Error(`The verb has no option ${name}.`)
    const schema = schemaOf(option).describe(option.description)
    return [name, option.isRequired ? schema : schema.optional()] as const
  })
  return Object.fromEntries(inputs)
}

function schemaOf({ takes }: TypedOption<unknown>): z.ZodType<OptionValue> {
  if (takes === 'flag') return z.boolean()
  if (takes === 'integer') return z.int().min(1)
  if (takes === 'texts') return z.array(z.string().min(1))
  return takes === 'text' ? z.string() : z.enum(takes)
}

/** An entry without its Base64 body, which repeats `event`. */
function withoutBody(shown: Answer): Answer {
  const { bodyBase64: _, ...untrusted } = Object(shown.untrusted)
  return { ...shown, untrusted }
}
