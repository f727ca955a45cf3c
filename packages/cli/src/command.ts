import type { Readable } from 'node:stream'
import { Option, type Command } from 'commander'
import json from './help.json' with { type: 'json' }
import type { Output } from './output/output.ts'
import { flag, type Reader, type Values } from './options/option.ts'

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const help = { ...json }

/** What a verb knows of the world around it. */
export interface Context {
  out: Output
  /** The environment, and beneath it what ./.env sets. */
  env: Readonly<Record<string, string | undefined>>
  input: Readable & { isTTY?: boolean }
  /** Whether somebody sits there who can be asked. */
  canAsk: boolean
  /** Aborts with Ctrl-C. */
  signal: AbortSignal
}

export type VerbName = keyof typeof help.verbs
type OwnOption<Name extends VerbName> = keyof (typeof help.verbs)[Name]['options']

/** What a verb has besides its help, loaded when it is called. */
export interface Verb {
  options: Record<string, Option>
  /** Does the work of a command line that was parsed, and gives the exit code. */
  run(parsed: Command, context: Context): Promise<number>
}

interface VerbSpec<Readers> {
  /**
   * How the value of each option is read: of its own ones in `help.json`, and of those there that
   * verbs share; `--json` and `--help` every verb has.
   */
  options: Readers
  run(input: { operands: string[]; options: Values<Readers> }, context: Context): Promise<number>
}

/** Makes a verb whose options are typed by what reads them. */
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
