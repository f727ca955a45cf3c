import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { codeOf, isError, withoutSecrets } from '@feed-receiver/core'
import type { Handlers, RunInTransaction } from '@feed-receiver/inbox'
import type { EffectResult } from '@feed-receiver/operate/rehearse'
import type { Context } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'

export interface LoadedHandlers {
  handlers: Handlers<unknown>
  transaction: RunInTransaction<unknown> | undefined
  effectResult: EffectResult | undefined
}

/**
 * Imports a module of handlers: `handlers` or the default export, and `transaction` and
 * `effectResult` if exported. Its code also gets the variables of ./.env.
 *
 * @throws CliError `usage` and `bad_module`
 */
export async function loadHandlers(file: string, env: Context['env']): Promise<LoadedHandlers> {
  const path = resolve(file)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(
      `There is no file ${file}. Use the path of the module that exports your handlers.`,
    )
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !process.env[name]) process.env[name] = value
  }
  const module = await importModule(path, file)
  const handlers = module.handlers ?? module.default
  if (!isHandlers(handlers))
    throw new CliError(
      'bad_module',
      `${file} exports no handlers. Export an object of them as \`handlers\` or as the default.`,
    )
  return {
    handlers,
    transaction: functionOf(module, 'transaction', file),
    effectResult: functionOf(module, 'effectResult', file),
  }
}

type HandlersModule = Partial<Record<keyof LoadedHandlers | 'default', unknown>> &
  Partial<Pick<LoadedHandlers, 'transaction' | 'effectResult'>>

async function importModule(path: string, file: string): Promise<HandlersModule> {
  try {
    const module: HandlersModule = await import(pathToFileURL(path).href)
    return module
  } catch (cause) {
    const why = withoutSecrets(isError(cause) ? cause.message : String(cause))
    if (needsMore.has(codeOf(cause) ?? '')) {
      throw new CliError(
        'bad_module',
        `Node ${process.version} cannot read the TypeScript of ${file}: ${why}. Use Node 22.18 or later, or run \`npm install tsx\` and set NODE_OPTIONS='--import tsx'.`,
        cause,
      )
    }
    throw new CliError('bad_module', `${file} cannot be imported: ${why}`, cause)
  }
}

/** Error codes of a Node that strips no types, or of a module that needs more than stripping. */
const needsMore = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
])

/** The inbox validates the members. */
function isHandlers(value: unknown): value is Handlers<unknown> {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

// The parameters and result of a function cannot be checked before it is called.
function functionOf<Name extends 'transaction' | 'effectResult'>(
  module: Partial<Record<Name, LoadedHandlers[Name]>>,
  name: Name,
  file: string,
): LoadedHandlers[Name] | undefined {
  const value = module[name]
  if (value === undefined || typeof value === 'function') return value
  throw new CliError(
    'bad_module',
    `${file} exports ${name}, but it is not a function. Export a function, or remove it.`,
  )
}
