import { Command, type Option } from 'commander'
import { problem } from '../errors.ts'

/**
 * The settings that commander gets for an option beside its help. The type tells the type of its
 * value.
 */
export interface Reader<Value> {
  readonly tell?: (option: Option) => void
  readonly valueType?: Value
}

/** Values by commander's names: `secretEnv` is `--secret-env`. */
export type Values<Readers> = {
  [Name in keyof Readers]: Readers[Name] extends Reader<infer Value> ? Value : never
}

export const flag: Reader<boolean | undefined> = {}

export const text: Reader<string | undefined> = {}

/** An option that may be given several times. */
export const texts: Reader<string[] | undefined> = {
  tell: (option) =>
    option.argParser<string[]>((value, before: string[] | undefined) => [...(before ?? []), value]),
}

/** An option whose value a function parses. It also gets the name of the option for its error. */
export function parsed<Value>(
  parse: (value: string, name: string) => Value,
): Reader<Value | undefined> {
  return { tell: (option) => option.argParser((value) => parse(value, `--${option.name()}`)) }
}

/** One of these words, which the help may name as `{words}`. */
export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word | undefined> {
  const { tell } = parsed((value, name) => {
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    const guess = didYouMean(value, words)
    throw problem('usage', 'one_of', { name, words: words.join(', '), guess })
  })
  return {
    tell(option) {
      option.description = option.description.replace('{words}', words.join(', '))
      tell?.(option)
    },
  }
}

/**
 * ` Did you mean <word>?` with the words that commander suggests for a mistyped command; empty if
 * there are none.
 *
 * @param before The text before each word, such as the first word of a verb.
 */
export function didYouMean(written: string, words: readonly string[], before = ''): string {
  const program = new Command().helpCommand(false).exitOverride()
  program.configureOutput({ writeErr: () => undefined })
  for (const word of words) program.command(word)
  try {
    program.parse(['--', written], { from: 'user' })
    return ''
  } catch (error) {
    const [, found] = /\(Did you mean (?:one of )?(.*)\?\)$/.exec(String(error)) ?? []
    if (found === undefined) return ''
    const guesses = found.split(', ').map((word) => before + word)
    return ` Did you mean ${guesses.join(' or ')}?`
  }
}
