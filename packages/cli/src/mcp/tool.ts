import type { z } from 'zod'
import type { Context, Verb } from '../command.ts'
import { UsageError } from '../errors.ts'
import { isLocal } from '../options/values.ts'
import type { Answer } from './envelope.ts'
import { runVerb, type VerbAnswer, type VerbCall, type VerbOptions } from './run-verb.ts'

/** The address of a sandbox's controls, with the token. */
export interface SandboxLink {
  control: URL
  session: string
}

/** The context that the tools of one server share. */
export interface ToolContext extends Pick<Context, 'env' | 'signal' | 'verbs'> {
  /** The options that name the inbox, as the verbs of `inbox` take them. */
  inbox: VerbOptions
  /** The name recorded with each action on the inbox. */
  by: string
  /** Whether test deliveries may leave this machine. */
  remote: boolean
  /** The sandbox beside the app, if one was named. */
  sandbox: SandboxLink | undefined
}

/** One tool of the server. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string
  title: string
  description: string
  input: Input
  /** `reads` changes nothing, `sends` makes test deliveries, `writes` changes the inbox. */
  effect: 'reads' | 'sends' | 'writes'
  /** @throws CliError for errors that the tool reports to the agent */
  answer(input: z.output<Input>, context: ToolContext): Promise<Answer>
}

/**
 * Defines a tool whose types follow from its input. Its input holds no NUL, which no database stores
 * and no command line can pass on.
 */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return {
    ...tool,
    async answer(given, context) {
      const input = tool.input.parse(given)
      for (const [name, value] of Object.entries(input)) {
        if ([value].flat().some(hasNul))
          throw new UsageError(`${name} contains a NUL character. Leave it out.`)
      }
      return await tool.answer(input, context)
    },
  }
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0')
}

/** Runs a verb of `inbox` on the inbox of this server. */
export async function askInbox(
  verb: Verb,
  call: VerbCall,
  context: ToolContext,
): Promise<VerbAnswer> {
  return await runVerb(verb, { ...call, options: { ...call.options, ...context.inbox } }, context)
}

/** Converts the result of a verb to a result of a tool. */
export function toAnswer({ exitCode, result, notes, hasFailed }: VerbAnswer): Answer {
  const data = notes.length === 0 ? result : { result, notes }
  return { ok: exitCode === 0, says: [], untrusted: data, hasFailed }
}

/** @throws CliError `usage` for an address on another machine, unless that is allowed */
export function checkTarget(url: string, { remote }: ToolContext): void {
  if (remote || (URL.canParse(url) && isLocal(new URL(url)))) return
  throw new UsageError(
    'This address is on another machine. To allow test deliveries there, start feed-receiver mcp with --remote.',
  )
}
