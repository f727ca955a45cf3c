import { didYouMean } from './closest.ts'
import { CliError } from './errors.ts'

/** The value of an option that may be one of a few words. */
export function oneOf<const Word extends string>(
  option: string,
  given: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (given === undefined) return undefined
  const found = words.find((word) => word === given)
  if (found !== undefined) return found
  throw new CliError(
    'usage',
    `--${option} is one of ${words.join(', ')}.${didYouMean(given, words)}`,
  )
}
