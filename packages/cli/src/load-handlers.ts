import { AsyncLocalStorage } from 'node:async_hooks'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { codeOf, isError, withoutSecrets } from '@feed-receiver/core/internal'
import type { Handlers, RunInTransaction } from '@feed-receiver/inbox'
import type { EffectResult } from '@feed-receiver/operate/rehearse'
import { z } from 'zod'
import type { Context } from './command.ts'
import { CliError, UsageError } from './errors.ts'

/** The exports of a module. The inbox validates the members of `handlers`. */
const exported = z.object({
  handlers: z.custom<Handlers<unknown>>(isFilled),
  transaction: z.custom<RunInTransaction<unknown>>(isFunction).optional(),
  effectResult: z.custom<EffectResult>(isFunction).optional(),
})

/**
 * Imports a module of handlers: `handlers` or the default export, and `transaction` and
 * `effectResult` if exported. Its code also gets the variables of ./.env.
 *
 * @throws CliError `usage` and `bad_module`
 */
export async function loadHandlers(file: string, env: Context['env']) {
  const path = resolve(file)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(
      `There is no file ${file}. Use the path of the module that exports your handlers.`,
    )
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !process.env[name]) process.env[name] = value
  }
  const { default: handlers, ...others } = await importModule(path, file)
  const named = { ...others, handlers: others['handlers'] ?? handlers }
  const { data, error } = exported.safeParse(named)
  if (data) return data
  const name = String(error.issues[0]?.path[0])
  throw new CliError(
    'bad_module',
    name === 'handlers'
      ? `Importing ${file} ran its code, such as the start of an app, but it exports no handlers. Export an object of them as \`handlers\` or as the default.`
      : `${file} exports ${name}, but it is not a function. Export a function, or remove it.`,
  )
}

async function importModule(path: string, file: string): Promise<Record<string, unknown>> {
  try {
    const module: Record<string, unknown> = await import(pathToFileURL(path).href)
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

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** Its parameters and result cannot be checked before it is called. */
function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/**
 * Keeps the code of an app that it runs from disturbing the command until it is disposed of: what
 * the code prints goes to stderr, a promise that nobody awaits is noted when it rejects, and
 * `process.exit` throws, because a command that ended there would seem to have succeeded.
 */
export function watchProcess(): Disposable & { rejections: string[]; run<T>(code: () => T): T } {
  const rejections: string[] = []
  const note = (reason: unknown) => {
    rejections.push(withoutSecrets(isError(reason) ? reason.message : String(reason)))
  }
  const appCode = new AsyncLocalStorage<true>()
  const { exit, stdout, stderr } = process
  // oxlint-disable-next-line typescript/unbound-method -- called with its stream below
  const { write } = stdout
  const writeToEither = (...given: unknown[]): unknown =>
    appCode.getStore()
      ? Reflect.apply(stderr.write, stderr, given)
      : Reflect.apply(write, stdout, given)
  Reflect.set(stdout, 'write', writeToEither)
  process.on('unhandledRejection', note)
  process.exit = rejectExit
  return {
    rejections,
    run: (code) => appCode.run(true, code),
    [Symbol.dispose]() {
      stdout.write = write
      process.off('unhandledRejection', note)
      process.exit = exit
    },
  }
}

function rejectExit(code?: number | string | null): never {
  const error = new Error(`process.exit(${code ?? ''}) would end the app. Throw an error instead.`)
  // So that the stack trace begins at the caller.
  Error.captureStackTrace(error, rejectExit)
  throw error
}
