import type { Readable } from 'node:stream'
import { Option, type Command } from 'commander'
import json from './help.json' with { type: 'json' }
import type { Output } from './output/output.ts'
import { flag, type Reader, type Values } from './options/option.ts'

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const help = { ...json }

/** The environment of a verb. */
export interface Context {
  out: Output
  /** The environment variables, and below them those of ./.env. */
  env: Readonly<Record<string, string | undefined>>
  input: Readable & { isTTY?: boolean }
  /** Whether a user at a terminal can answer questions. */
  canAsk: boolean
  /** Aborts with Ctrl-C. */
  signal: AbortSignal
}

export type VerbName = keyof typeof help.verbs
type OwnOption<Name extends VerbName> = keyof (typeof help.verbs)[Name]['options']

/** The code of a verb, loaded when it is called. */
export interface Verb {
  options: Record<string, Option>
  /** Runs a parsed command line, and returns the exit code. */
  run(parsed: Command, context: Context): Promise<number>
}

interface VerbSpec<Readers> {
  /**
   * The readers of the option values: of the verb's own options in `help.json`, and of those that
   * verbs share. Every verb has `--json` and `--help`.
   */
  options: Readers
  run(input: { operands: string[]; options: Values<Readers> }, context: Context): Promise<number>
}

/** Defines a verb whose option types follow from their readers. */
export function defineCommand<
  Name extends VerbName,
  Readers extends Record<string, Reader<unknown>> & Record<OwnOption<Name>, Reader<unknown>>,
>(name: Name, { options: readers, run }: VerbSpec<Readers>): Verb {
  const texts: Record<string, { flags: string; help: string }> = {
    ...help.shared,
    ...help.verbs[name].options,
  }
  const options = Object.entries({ ...readers, json: flag }).map(([key, reader]) => {
    const text = texts[key]
    if (!text) throw new Error(`help.json lacks the option ${key} of ${name}`)
    const option = new Option(text.flags, text.help)
    reader.tell?.(option)
    return [key, option] as const
  })
  return {
    options: Object.fromEntries(options),
    run: (parsed, context) =>
      run({ operands: parsed.args, options: parsed.opts<Values<Readers>>() }, context),
  }
}
