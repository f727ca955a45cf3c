import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { packageFolders } from './folders.ts'

/** Compiler options, with their text in lower case. */
export interface CompilerOptions {
  target?: string
  module?: string
  moduleResolution?: string
  esModuleInterop?: boolean
  allowSyntheticDefaultImports?: boolean
  allowImportingTsExtensions?: boolean
  rewriteRelativeImportExtensions?: boolean
  skipLibCheck?: boolean
  verbatimModuleSyntax?: boolean
  /** Set if a file is missing or malformed, or refers to others, so that an option may be unknown. */
  isIncomplete?: true
}

/** Reads the options of tsconfig.json, and of what it extends. */
export function readCompilerOptions(folder: string): CompilerOptions {
  return readOptions(join(folder, 'tsconfig.json'), 0)
}

function readOptions(path: string | undefined, depth: number): CompilerOptions {
  const config = path === undefined || depth > 10 ? undefined : parse(path)
  if (path === undefined || config === undefined) return { isIncomplete: true }
  const bases = [config.extends ?? []]
    .flat()
    .filter((name) => typeof name === 'string')
    .map((name) => findConfig(dirname(path), name))
  const own = Object.entries(config.compilerOptions ?? {}).map(
    ([name, value]: [string, unknown]) => [
      name,
      // TypeScript takes null as unset.
      typeof value === 'string' ? value.toLowerCase() : (value ?? undefined),
    ],
  )
  const merged: CompilerOptions = config.references ? { isIncomplete: true } : {}
  for (const base of bases) Object.assign(merged, readOptions(base, depth + 1))
  return Object.assign(merged, Object.fromEntries(own))
}

interface Config {
  extends?: string | string[]
  references?: unknown
  compilerOptions?: object
}

function parse(path: string): Config | undefined {
  if (!existsSync(path)) return undefined
  // Strings stay, because a path may contain what looks like a comment.
  const json = readFileSync(path, 'utf8')
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[^]*?\*\//g, '$1')
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, '$1')
  try {
    // An option of another type is an error of TypeScript.
    const config: Config | null = JSON.parse(json)
    return config ?? undefined
  } catch {
    return undefined
  }
}

/** The file that `extends` names: a path, or one in a package. */
function findConfig(folder: string, name: string): string | undefined {
  const folders = /^\.|^\//.test(name) ? [folder] : packageFolders(folder)
  return folders
    .flatMap((one) =>
      [name, `${name}.json`, join(name, 'tsconfig.json')].map((form) => resolve(one, form)),
    )
    .find((path) => path.endsWith('.json') && existsSync(path))
}
