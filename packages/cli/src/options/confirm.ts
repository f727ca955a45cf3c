import { createInterface } from 'node:readline'
import type { Context } from '../command.ts'
import { UsageError } from '../errors.ts'

/**
 * Asks for confirmation, and prints a note if it is refused. `--yes` skips the question, and the end
 * of the input means no.
 *
 * @throws CliError `usage` if nobody can be asked, and the reason of the signal.
 */
export async function confirm(
  question: string,
  isYes: boolean | undefined,
  { canAsk, input, signal, out }: Context,
  refused = 'Nothing was changed.',
): Promise<boolean> {
  if (isYes) return true
  if (!canAsk)
    throw new UsageError(`${question} There is no terminal to confirm this, so add --yes.`)
  out.note(`${question} [y/N]`)
  const asking = createInterface({ input, signal })
  try {
    // Reads a line instead of using `question`, which never resolves if the input ends.
    const { value } = await asking[Symbol.asyncIterator]().next()
    signal.throwIfAborted()
    if (typeof value === 'string' && /^y(es)?$/i.test(value.trim())) return true
    out.note(refused)
    return false
  } finally {
    asking.close()
  }
}
