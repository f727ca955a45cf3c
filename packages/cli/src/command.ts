import { parseArgs } from 'node:util'
import type { Context } from './context.ts'
import { checkArguments, type OptionTable } from './check-arguments.ts'
import { CliError } from './errors.ts'

/** One verb, as `src/commands.ts` lists it. The rest of it is loaded when it is called. */
export interface ListedCommand {
  /** One word or more: `send`, `inbox list`. */
  name: string
  /** What follows the name besides options: `<type|file>`. */
  operands: string
  /** One line, for lists of commands. */
  summary: string
  load(): Promise<Command>
}

/** What a verb has besides its name and summary. */
export interface Command {
  options: OptionTable
  /** Paragraphs for `--help`, after the options. */
  notes: readonly string[]
  /** Whole command lines for `--help`. */
  examples: readonly string[]
  /** Parses what follows the name, does it, and gives the exit code. */
  run(
    listed: Pick<ListedCommand, 'name' | 'operands'>,
    args: string[],
    context: Context,
  ): Promise<number>
}

/** What every verb has. */
export const commonOptions = {
  json: { type: 'boolean', help: 'print JSON instead of text' },
  help: { type: 'boolean', short: 'h', help: 'print this help' },
} as const satisfies OptionTable

export interface CommandSpec<Options extends OptionTable> {
  /** How many operands may be given, at least and at most. */
  count?: readonly [number, number]
  /** All but `--json` and `--help`, which every verb has. */
  options: Options
  notes?: readonly string[]
  examples?: readonly string[]
  run(input: CommandInput<Options>, context: Context): Promise<number>
}

export interface CommandInput<Options extends OptionTable> {
  operands: string[]
  options: Values<Options>
}

type Values<Options extends OptionTable> = ReturnType<
  typeof parseArgs<{
    options: Options & typeof commonOptions
    allowPositionals: true
    args: string[]
  }>
>['values']

/** Makes a verb whose options are typed by their table. */
export function defineCommand<const Options extends OptionTable>({
  count: [least, most] = [0, 0],
  options,
  notes = [],
  examples = [],
  run,
}: CommandSpec<Options>): Command {
  const all: Options & typeof commonOptions = { ...options, ...commonOptions }
  return {
    options: all,
    notes,
    examples,
    async run({ name, operands }, args, context) {
      checkArguments(name, all, args)
      const { values, positionals } = parseArgs({ args, options: all, allowPositionals: true })
      const found = positionals.length
      if (found < least) throw tooFew(name, operands)
      if (found > most) throw tooMany(name, operands, found - most)
      return await run({ operands: positionals, options: values }, context)
    },
  }
}

function tooFew(name: string, operands: string): CliError {
  return new CliError('usage', `${name} needs ${operands}. See: feed-receiver ${name} --help`)
}

// What stands there is not quoted: it may be a secret that lost its option.
function tooMany(name: string, operands: string, extra: number): CliError {
  const takes = operands === '' ? 'nothing but options' : operands
  return new CliError(
    'usage',
    `${name} takes ${takes}, and here is ${extra} more. Put quotes around a value with spaces. ` +
      `See: feed-receiver ${name} --help`,
  )
}
