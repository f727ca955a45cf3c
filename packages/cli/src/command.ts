import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { UsageError } from './errors.ts'
import type { Output } from './output/output.ts'
import { flag, type TypedOption, type Values } from './options/option.ts'

export interface Context {
  out: Output
  /** The environment variables, and below them those of ./.env. */
  env: Readonly<Record<string, string | undefined>>
  /** The environment variables alone, for a program that reads files such as ./.env itself. */
  ownEnv: Context['env']
  input: Readable & { isTTY?: boolean }
  /** Whether a user at a terminal can answer questions. */
  canAsk: boolean
  /** Aborts with Ctrl-C. */
  signal: AbortSignal
  /** Every verb, for one that calls others. */
  verbs: readonly ListedVerb[]
}

export interface ListedVerb {
  name: string
  /** As in `<type|file>`; empty if it takes none. */
  operands: string
  summary: string
  load: () => Promise<Verb>
}

/** The code and the help of a verb, loaded when it is called. */
export interface Verb {
  options: Record<string, TypedOption<unknown>>
  /** Paragraphs below the options. */
  notes: string[]
  examples: string[]
  /** Runs a parsed command line, and returns the exit code. */
  run(parsed: Command, context: Context): Promise<number>
}

interface VerbSpec<Options> {
  /** Every verb also has `--json` and `--help`. */
  options: Options
  /** Prose, with an empty line between two paragraphs. It is wrapped when it is printed. */
  notes?: string
  examples?: string[]
  /** Returns the exit code if it is not 0. */
  run(
    input: { operands: string[]; options: Values<Options> },
    context: Context,
  ): Promise<number | undefined>
}

/** Defines a verb. The types of its options follow from their definitions. */
export function defineCommand<Options extends Record<string, TypedOption<unknown>>>({
  options,
  notes = '',
  examples = [],
  run,
}: VerbSpec<Options>): Verb {
  const paragraphs = notes.trim().split(/\n\s*\n/)
  return {
    options: { ...options, json: flag('--json', 'print JSON instead of text') },
    notes: paragraphs.flatMap((one) => one.replaceAll(/\s+/g, ' ').trim() || []),
    examples,
    async run(parsed, context) {
      const given = parsed.opts<Values<Options>>()
      for (const [name, { isRequired, flags }] of Object.entries(options)) {
        if (isRequired && !(name in given)) throw new UsageError(`This command needs ${flags}.`)
      }
      return (await run({ operands: parsed.args, options: given }, context)) ?? 0
    },
  }
}
