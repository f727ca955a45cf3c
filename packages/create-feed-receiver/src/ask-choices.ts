import { select, text, updateSettings } from '@clack/prompts'
import {
  databases,
  frameworks,
  packageManagers,
  type Choices,
  type Flags,
  type Context,
} from './context.ts'
import { CreateError } from './errors.ts'

// Treats Ctrl-D like Ctrl-C, because a terminal in raw mode has no other sign that its input ends.
updateSettings({ aliases: { '\u0004': 'cancel' } })

/** Explanations of values whose name alone is unclear. */
const shown = new Map<string, { hint: string }>([
  ['embedded', { hint: 'stored in a folder of the app, for development' }],
  ['postgres', { hint: 'from compose.yaml, or your own' }],
])

/** Asks for choices that no flag has set. Errors: `interrupted` on Ctrl-C, or if the input ends. */
export async function askChoices(
  flags: Flags,
  defaults: Choices,
  { input, output, signal }: Pick<Context, 'input' | 'output' | 'signal'>,
): Promise<Choices> {
  const ending = new AbortController()
  input.once('end', () => ending.abort())
  const terminal = { input, output, signal: AbortSignal.any([signal, ending.signal]) }
  return {
    folder: flags.folder ?? (await askFolder()),
    template: flags.template ?? (await askOneOf('Framework', frameworks, defaults.template)),
    database: flags.database ?? (await askOneOf('Database', databases, defaults.database)),
    pm: flags.pm ?? (await askOneOf('Package manager', packageManagers, defaults.pm)),
  }

  async function askFolder(): Promise<string> {
    const { folder } = defaults
    const options = { message: 'Folder', placeholder: folder, defaultValue: folder }
    return answered(await text({ ...options, ...terminal }))
  }

  async function askOneOf<Value extends string>(
    message: string,
    values: readonly Value[],
    initialValue: Value,
  ): Promise<Value> {
    const options = values.map((value: string) => ({ value, ...shown.get(value) }))
    const asked = select<string>({ message, options, initialValue, ...terminal })
    const answer = answered(await asked)
    return values.find((value) => value === answer) ?? initialValue
  }
}

/** Any value but a string is the symbol of a cancelled prompt. */
function answered(answer: string | symbol): string {
  if (typeof answer === 'string') return answer
  throw new CreateError('interrupted', '\nInterrupted. No files were created.')
}
