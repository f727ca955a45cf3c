import { Option } from 'commander'
import leven from 'leven'
import { UsageError } from '../errors.ts'
import { parseCount, type CountLimits } from './values.ts'

/** What an option takes, for callers that pass typed values, such as the tools of `mcp`. */
type Taken = 'flag' | 'text' | 'texts' | 'integer' | readonly string[]

/** An option of a verb. The type of its value follows from how it is made. */
export class TypedOption<Value> extends Option {
  declare readonly valueType?: Value
  readonly takes: Taken
  isRequired = false

  constructor(flags: string, help: string, takes: Taken = 'text') {
    super(flags, help)
    this.takes = takes
  }
}

/** Values by commander's names: `secretEnv` is `--secret-env`. */
export type Values<Options> = {
  [Name in keyof Options]: Options[Name] extends TypedOption<infer Value> ? Value : never
}

export function flag(flags: string, help: string): TypedOption<boolean | undefined> {
  return new TypedOption(flags, help, 'flag')
}

export function text(flags: string, help: string): TypedOption<string | undefined> {
  return new TypedOption(flags, help)
}

/** An option that may be given several times. */
export function texts(flags: string, help: string): TypedOption<string[] | undefined> {
  const option = new TypedOption<string[] | undefined>(flags, help, 'texts')
  return option.argParser<string[]>((value, before?: string[]) => [...(before ?? []), value])
}

/** An option whose value a function parses. It also gets the name of the option for its error. */
export function parsed<Value>(
  flags: string,
  help: string,
  parse: (value: string, name: string) => Value,
  takes: Taken = 'text',
): TypedOption<Value | undefined> {
  const option = new TypedOption<Value | undefined>(flags, help, takes)
  return option.argParser((value) => parse(value, `--${option.name()}`))
}

/** A whole number, from 1 unless the limits say otherwise. */
export function integer(
  flags: string,
  help: string,
  limits: CountLimits = {},
): TypedOption<number | undefined> {
  return parsed(flags, help, (value, name) => parseCount(value, name, limits), 'integer')
}

/** Rejects a command line without this option. */
export function required<Value>(option: TypedOption<Value | undefined>): TypedOption<Value> {
  const { flags, description, takes, parseArg } = option
  const same = new TypedOption<Value>(flags, description, takes)
  if (parseArg) same.argParser(parseArg)
  // Not `mandatory` of commander, which would complain before it names a mistyped option.
  same.isRequired = true
  return same
}

export function oneOf<const Word extends string>(
  flags: string,
  help: string,
  words: readonly Word[],
): TypedOption<Word | undefined> {
  const parse = (value: string, name: string) => {
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    throw new UsageError(`${name} must be one of ${words.join(', ')}.${didYouMean(value, words)}`)
  }
  return parsed(flags, help, parse, words)
}

/**
 * ` Did you mean <word>?` with the words that are most like a mistyped one; empty if none is.
 *
 * @param before The text before each word, such as the first word of a verb.
 */
export function didYouMean(written: string, words: readonly string[], before = ''): string {
  const known = words.map((word) => ({ word, distance: leven(written, word) }))
  const least = Math.min(...known.map(({ distance }) => distance))
  // Of a short word, the same distance changes more.
  const alike = known.filter(
    ({ word, distance }) => distance === least && least < word.length * 0.6,
  )
  if (least > 3 || alike.length === 0) return ''
  return ` Did you mean ${alike.map(({ word }) => before + word).join(' or ')}?`
}
