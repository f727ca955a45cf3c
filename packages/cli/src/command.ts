import type { Command } from 'commander'
import type { Context } from './context.ts'
import { flag, type OptionTable, type Values } from './options/option.ts'

/** One verb, as `commands.ts` lists it. The rest of it is loaded when it is called. */
export interface ListedCommand {
  /** One word or more: `send`, `inbox list`. */
  name: string
  /** What follows the name besides options, in the words of commander: `<folder|file...>`. */
  operands?: string
  /** One line, for lists of commands. */
  summary: string
  load(): Promise<Verb>
}

/** What a verb has besides its name and summary. */
export interface Verb {
  options: OptionTable
  /** Paragraphs for `--help`, after the options. */
  notes: readonly string[]
  /** Whole command lines for `--help`. */
  examples: readonly string[]
  /** Does the work of a command line that was parsed, and gives the exit code. */
  run(parsed: Command, context: Context): Promise<number>
}

interface VerbSpec<Options extends OptionTable> {
  /** All but `--json` and `--help`, which every verb has. */
  options: Options
  notes?: readonly string[]
  examples?: readonly string[]
  run(input: { operands: string[]; options: Values<Options> }, context: Context): Promise<number>
}

/** Makes a verb whose options are typed by their table. */
export function defineCommand<Options extends OptionTable>({
  options,
  notes = [],
  examples = [],
  run,
}: VerbSpec<Options>): Verb {
  return {
    options: { ...options, json: flag('--json', 'print JSON instead of text') },
    notes,
    examples,
    run: (parsed, context) =>
      run({ operands: parsed.args, options: parsed.opts<Values<Options>>() }, context),
  }
}
