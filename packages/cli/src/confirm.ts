import { createInterface } from 'node:readline/promises'
import type { OptionTable } from './check-arguments.ts'
import type { Context } from './context.ts'
import { CliError } from './errors.ts'

/** For verbs that ask before they change something. */
export const confirmOptions = {
  yes: {
    type: 'boolean',
    short: 'y',
    help: 'do it without asking; needed where nobody can be asked',
  },
} as const satisfies OptionTable

/** Asks whether to go on; without a terminal it never does, and `--yes` answers for it. */
export async function confirm(
  question: string,
  isYes: boolean | undefined,
  { canAsk, input, signal, out }: Context,
): Promise<boolean> {
  if (isYes === true) return true
  if (!canAsk) {
    throw new CliError('usage', `${question} There is no terminal to ask at: add --yes to go on.`)
  }
  out.note(`${question} [y/N]`)
  const asking = createInterface({ input })
  try {
    const answer = await asking.question('', { signal })
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    asking.close()
  }
}
