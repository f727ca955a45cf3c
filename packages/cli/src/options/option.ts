import { Option } from 'commander'
import { CliError } from '../errors.ts'
import { didYouMean } from './did-you-mean.ts'

/** An option of commander that says which type its value has. */
export type TypedOption<Value> = Option & { readonly valueType?: Value }

/** Options by the names that commander gives their values: `secretEnv` is `--secret-env`. */
export type OptionTable = Record<string, TypedOption<unknown>>

export type Values<Options extends OptionTable> = {
  [Name in keyof Options]: Options[Name] extends TypedOption<infer Value> ? Value : never
}

export function flag(flags: string, help: string): TypedOption<boolean | undefined> {
  return new Option(flags, help)
}

export function text(flags: string, help: string): TypedOption<string | undefined> {
  return new Option(flags, help)
}

/** An option that may be given several times. */
export function texts(flags: string, help: string): TypedOption<string[] | undefined> {
  return new Option(flags, help).argParser<string[] | undefined>((value, before) => [
    ...(before ?? []),
    value,
  ])
}

/** An option whose value is read by a function, which is also given the name for its error. */
export function parsed<Value>(
  flags: string,
  help: string,
  parse: (value: string, name: string) => Value,
): TypedOption<Value | undefined> {
  const option = new Option(flags, help)
  return option.argParser((value: string) => parse(value, `--${option.name()}`))
}

export function oneOf<const Word extends string>(
  flags: string,
  help: string,
  words: readonly Word[],
): TypedOption<Word | undefined> {
  return parsed(flags, help, (value, name) => {
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    const guess = didYouMean(value, words)
    throw new CliError('usage', `${name} is one of ${words.join(', ')}.${guess}`)
  })
}
