import { createInterface } from 'node:readline'
import { databases, frameworks, packageManagers, type Choices } from './choices.ts'
import type { Context } from './context.ts'
import { CreateError } from './errors.ts'

/** Gives the next line that is typed after a prompt. */
type Ask = (prompt: string) => Promise<string>

/** Asks for what no flag has said. Errors: `interrupted` on Ctrl-C, or where the input ends. */
export async function askChoices(
  given: Partial<Choices>,
  defaults: Choices,
  { input, output, signal }: Pick<Context, 'input' | 'output' | 'signal'>,
): Promise<Choices> {
  const asking = createInterface({ input, output, signal })
  asking.once('SIGINT', () => asking.close())
  // Lines and not questions: what is typed ahead answers the next one.
  const lines = asking[Symbol.asyncIterator]()
  const ask: Ask = async (prompt) => {
    asking.setPrompt(prompt)
    asking.prompt()
    const { done, value } = await lines.next()
    if (!done) return value.trim()
    throw new CreateError('interrupted', '\nInterrupted. Nothing was made.')
  }

  try {
    return {
      folder: given.folder ?? (await askText(ask, 'Folder', defaults.folder)),
      framework:
        given.framework ?? (await askOneOf(ask, 'Framework', frameworks, defaults.framework)),
      database: given.database ?? (await askOneOf(ask, 'Database', databases, defaults.database)),
      packageManager:
        given.packageManager ??
        (await askOneOf(ask, 'Package manager', packageManagers, defaults.packageManager)),
    }
  } finally {
    asking.close()
  }
}

async function askText(ask: Ask, what: string, byDefault: string): Promise<string> {
  return (await ask(`${what} (${byDefault}): `)) || byDefault
}

/** The first letters of a value are enough, where no other value begins with them. */
async function askOneOf<const Value extends string>(
  ask: Ask,
  what: string,
  values: readonly Value[],
  byDefault: Value,
): Promise<Value> {
  for (;;) {
    const answer = await askText(ask, `${what}: ${values.join(', ')}`, byDefault)
    const [found, another] = values.filter((value) => value.startsWith(answer.toLowerCase()))
    if (found !== undefined && another === undefined) return found
  }
}
