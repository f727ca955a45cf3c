import { join } from 'node:path'
import { readThere } from './env-file.ts'
import { problem } from './errors.ts'
import type { FoundApp } from './find-app.ts'
import { readManifest, versionsIn, type Manifest } from './manifest.ts'
import { packageFolders, type CompilerOptions } from './read-tsconfig.ts'

/** Versions are numbers, such as 504 for 5.4. */
interface Settings extends CompilerOptions {
  typeScript: number
  node: number
  /** Whether the files of the route are ES modules. */
  isModule: boolean
}

interface Check {
  isTrue: (settings: Settings) => boolean
  /** The text in `errors.json`, if the route would not compile. */
  error?: 'old_typescript' | 'classic' | 'verbatim'
  /** Advice, if the app works in part. */
  note?: string
}

/** The newest version, and one that is not known. */
const newest = 9999

const checks: Check[] = [
  { isTrue: ({ typeScript }) => typeScript < 500, error: 'old_typescript' },
  { isTrue: ({ moduleResolution }) => moduleResolution === 'classic', error: 'classic' },
  {
    isTrue: (settings) =>
      settings.verbatimModuleSyntax === true && isCommonJs(settings) && !settings.isIncomplete,
    error: 'verbatim',
  },
  {
    isTrue: (settings) => !settings.moduleResolution && resolutionOf(settings) === 'classic',
    note: 'Set "moduleResolution" in tsconfig.json to "bundler" or "node10", because the default for this "module" does not find the types of packages.',
  },
  {
    isTrue: ({ typeScript }) => typeScript >= 500 && typeScript < 504,
    note: 'The types of the packages need TypeScript 5.4 or newer. Update it: npm install --save-dev typescript@5.9',
  },
  {
    isTrue: (settings) => settings.typeScript < 507 && checksLibraries(settings),
    note: 'Set "skipLibCheck": true in tsconfig.json, because TypeScript before 5.7 rejects the types of @feed-receiver/core/testing.',
  },
  {
    isTrue: (settings) => checksLibraries(settings) && !hasInterop(settings),
    note: 'Set "esModuleInterop": true in tsconfig.json, because the types of zod need it, or "skipLibCheck": true.',
  },
  {
    isTrue: ({ node }) => node < 2019,
    note: 'The packages need Node 20.19 or newer, and "engines" in package.json allows older ones. Set its "node" to ">=20.19".',
  },
]

/**
 * Returns advice on the settings of an app. Errors: `unsupported_settings` if the route would not
 * compile with them.
 */
export function checkSettings(folder: string, app: FoundApp): string[] {
  const { manifest, options, isModule, isTypeScript } = app
  const found = checks.filter(({ isTrue }) =>
    isTrue({
      ...(isTypeScript ? options : { isIncomplete: true }),
      typeScript: isTypeScript ? findTypeScript(folder, manifest) : newest,
      node: oldestIn(versionsIn(manifest, 'engines')['node']),
      isModule,
    }),
  )
  const wrong = found.find(({ error }) => error !== undefined)?.error
  if (wrong !== undefined) throw problem('unsupported_settings', wrong)
  return found.flatMap(({ note }) => note ?? [])
}

/** The installed version of TypeScript, or the newest that package.json allows. */
function findTypeScript(folder: string, manifest: Manifest): number {
  const text = packageFolders(folder)
    .map((one) => readThere(join(one, 'typescript'), 'package.json'))
    .find((one) => one !== undefined)
  if (text !== undefined) return newestIn(String(readManifest(text, 'typescript')['version']))
  const { typescript = '' } = {
    ...versionsIn(manifest, 'dependencies'),
    ...versionsIn(manifest, 'devDependencies'),
  }
  return newestIn(typescript)
}

/** Of `^5.3.0` it is 5.99, of `~5.3.0` and `5.3.x` it is 5.3. */
function newestIn(range: string): number {
  const [, prefix, major, minor] = /^([~^]?)v?(\d+)(?:\.(\d+))?[\w.-]*$/.exec(range) ?? []
  if (major === undefined) return newest
  return Number(major) * 100 + (prefix === '^' ? 99 : Number(minor ?? 99))
}

/** Of `>=18 || ^22.0.0` it is 18.0. */
function oldestIn(range = ''): number {
  const oldest = range.split('||').map((part) => {
    const [, below, major, minor = 0] =
      /^\s*(?:(<)|[>=~^v\s]*)=?\s*(\d+)(?:\.(\d+))?/.exec(part) ?? []
    if (major === undefined) return newest
    return below === undefined ? Number(major) * 100 + Number(minor) : 0
  })
  return Math.min(...oldest)
}

function resolutionOf({ moduleResolution, module, target, typeScript, isIncomplete }: Settings) {
  if (moduleResolution !== undefined || typeScript >= 600 || isIncomplete) return moduleResolution
  const isOld = /^es[35]$/.test(target ?? 'es5')
  const implied = module ?? (isOld ? 'commonjs' : 'es2015')
  return /^(?:es|amd|umd|system)/.test(implied) ? 'classic' : undefined
}

function isCommonJs({ module, isModule }: Settings): boolean {
  return module === 'commonjs' || (isOfNode(module) && !isModule)
}

function checksLibraries({ skipLibCheck, isIncomplete }: Settings): boolean {
  return !skipLibCheck && !isIncomplete
}

/** Whether a default import of CommonJS compiles. */
function hasInterop(settings: Settings): boolean {
  const { typeScript, module } = settings
  const isImplied = typeScript >= 600 || isOfNode(module) || module === 'preserve'
  const isAllowed = resolutionOf(settings) === 'bundler' || module === 'system'
  return (
    settings.allowSyntheticDefaultImports ?? settings.esModuleInterop ?? (isImplied || isAllowed)
  )
}

function isOfNode(module = ''): boolean {
  return module.startsWith('node')
}
