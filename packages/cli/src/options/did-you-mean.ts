import { Command } from 'commander'

/**
 * ` Did you mean <word>?` of the words that commander suggests for a mistyped command; empty where it
 * suggests none.
 *
 * @param before What stands before each word, such as the first word of a verb.
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
