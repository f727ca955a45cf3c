import { z } from 'zod'
import type { ListedVerb, Verb } from '../command.ts'
import type { TypedOption } from '../options/option.ts'
import type { OptionValue } from './run-verb.ts'
import { askInbox, defineTool, toAnswer, type Tool } from './tool.ts'

/** A verb of the command line, with its help as the description of a tool. */
export async function loadVerb(
  verbs: readonly ListedVerb[],
  wanted: string,
): Promise<{ verb: Verb; description: string }> {
  const found = verbs.find(({ name }) => name === wanted)
  if (!found) throw new Error(`There is no verb ${wanted}.`)
  const verb = await found.load()
  return { verb, description: [`${found.summary}.`, ...verb.notes].join(' ') }
}

/** The input of a tool for these options of a verb, which their help describes. */
export function inputOf(verb: Verb, names: readonly string[]) {
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

/** A tool that runs a verb of `inbox`. */
export interface VerbToolSpec extends Pick<Tool, 'name' | 'title'> {
  /** The verb that it runs on the inbox of this server. */
  verb: string
  /** The options of the verb that an agent may set. */
  options?: readonly string[]
  /** The input that is the operand of the verb. */
  operand?: { name: string; schema: z.ZodType<string | number> }
}

/** A tool that runs a verb. A tool that changes the inbox is recorded under the name of `--by`. */
export async function verbTool(
  verbs: readonly ListedVerb[],
  { verb: wanted, options = [], operand, ...tool }: VerbToolSpec,
  effect: Tool['effect'],
): Promise<Tool> {
  const { verb, description } = await loadVerb(verbs, wanted)
  const input = inputOf(verb, options)
  return defineTool({
    ...tool,
    effect,
    description,
    input: z.object({ ...input, ...(operand && { [operand.name]: operand.schema }) }),
    async answer(given, context) {
      const by = effect === 'writes' ? { by: context.by } : {}
      const set = options.map((name) => [name, given[name]] as const)
      const operands = operand ? [String(given[operand.name])] : []
      const call = { operands, options: { ...Object.fromEntries(set), ...by } }
      return toAnswer(await askInbox(verb, call, context))
    },
  })
}
