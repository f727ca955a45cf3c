import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import type { Context, Verb } from '../command.ts'
import { describeError } from '../output/describe-error.ts'
import { createOutput } from '../output/output.ts'
import type { Answer } from './tool.ts'

/** The options of a verb by their names: `true` sets a flag, and a list repeats the option. */
export type VerbOptions = Record<string, OptionValue | undefined>

export type OptionValue = string | number | boolean | string[]

/**
 * Runs a verb in this process as with `--json`, and answers with its output. It asks no questions,
 * prints nothing and throws no error. `untrusted` is `{ error, code }` if it failed.
 */
export async function runVerb(
  verb: Verb,
  { operands, options }: { operands: string[]; options: VerbOptions },
  { env, signal, verbs }: Pick<Context, 'env' | 'signal' | 'verbs'>,
): Promise<Answer> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const out = createOutput({ stdout, stderr, isJson: true })
  const context = { out, env, input: Readable.from([]), canAsk: false, signal, verbs }
  let exitCode = 1
  let hasFailed = false
  try {
    exitCode = await verb.run(parse(verb, operands, options), context)
  } catch (error) {
    hasFailed = true
    const { message, code } = describeError(error, signal)
    out.json({ error: message, code })
  }
  stdout.end()
  stderr.end()
  const [json, noted] = await printed
  const untrusted: unknown = json === '' ? null : JSON.parse(json)
  const notes = noted.split('\n').filter((line) => line !== '')
  return { ok: exitCode === 0, says: [], untrusted, notes, hasFailed }
}

/** Each option is one argument, so that no value is taken for an option. */
function parse(verb: Verb, operands: string[], options: VerbOptions): Command {
  const command = new Command().argument('[operands...]').exitOverride()
  command.configureOutput({ writeErr: () => undefined })
  for (const option of Object.values(verb.options)) command.addOption(option)
  const args = Object.entries(options).flatMap(([key, value]) => {
    const name = verb.options[key]?.long ?? key
    if (value === undefined || value === false) return []
    if (value === true) return [name]
    return [value].flat().map((each) => `${name}=${each}`)
  })
  return command.parse([...args, '--', ...operands], { from: 'user' })
}
