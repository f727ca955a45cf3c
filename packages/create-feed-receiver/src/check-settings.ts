import { join } from 'node:path'
import { readThere } from './env-file.ts'
import { CreateError } from './errors.ts'
import type { FoundApp } from './find-app.ts'
import { packageFolders } from './folders.ts'
import { packagesIn, readManifest, versionsIn, type Manifest } from './manifest.ts'
import type { CompilerOptions } from './read-tsconfig.ts'
import type { Recipe } from './recipes.ts'

/** Versions are numbers, such as 504 for 5.4. */
interface Settings extends CompilerOptions {
  typeScript: number
  /** The versions of Node that package.json allows. */
  node: readonly Span[]
  /** Whether the files of the route are ES modules. */
  isModule: boolean
  /** The version of Jest, if it loads the route. */
  jest: number | undefined
  hasTsJest: boolean
  /** The version of pg-boss that the recipe digest would get. */
  pgBoss: number | undefined
}

interface Span {
  from: number
  to: number
}

interface Check {
  isTrue: (settings: Settings) => boolean
  /** The error, if the route would not compile. */
  error?: string
  /** Advice, if the app works in part. */
  note?: string
}

const jestNote = (transforms: string) =>
  'Jest does not load ES modules with require. If your tests import the app, install @swc/core and ' +
  `@swc/jest, and add this to the configuration of Jest:\n\n  "transform": { ${transforms} },\n` +
  '  "transformIgnorePatterns": []'
const swc = String.raw`"\\.[cm]?js$": ["@swc/jest", { "module": { "type": "commonjs" } }]`

/** The newest version, and one that is not known. */
const newest = 9999

const checks: Check[] = [
  {
    isTrue: ({ typeScript }) => typeScript < 500,
    error:
      'The app uses a TypeScript before 5.0, which does not compile the types of the packages, so nothing was changed. Update it to 5.4 or newer: npm install --save-dev typescript@5.9',
  },
  {
    isTrue: ({ moduleResolution }) => moduleResolution === 'classic',
    error:
      'The compiler resolves modules as "classic", which does not find the types of packages, so nothing was changed. Set "moduleResolution" in tsconfig.json, to "bundler" or "node10".',
  },
  {
    isTrue: (settings) =>
      settings.verbatimModuleSyntax === true && isCommonJs(settings) && !settings.isIncomplete,
    error:
      'tsconfig.json sets verbatimModuleSyntax, which rejects "import" and "export" in a CommonJS app, so nothing was changed. Remove it, or set "type": "module" in package.json.',
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
    isTrue: (settings) => !isCommonJs(settings) && allowsOldNode(settings),
    note: 'The packages need Node 20.19 or newer, and "engines" in package.json allows older ones. Set its "node" to ">=20.19".',
  },
  {
    isTrue: (settings) =>
      isCommonJs(settings) && (allowsOldNode(settings) || allowsNodeWithoutRequire(settings)),
    note: 'In CommonJS the packages need Node 20.19, or 22.12 and newer, because the versions between them cannot load ES modules with require. "engines" in package.json allows others. Set its "node" to "^20.19 || >=22.12".',
  },
  {
    isTrue: ({ pgBoss }) => pgBoss !== undefined && pgBoss < 1235,
    note: 'The recipe digest needs pg-boss 12.35 or newer, and package.json has an older one. Update it, or remove the recipe.',
  },
  {
    isTrue: (settings) =>
      settings.pgBoss !== undefined &&
      isCommonJs(settings) &&
      (/^node1[68]$/.test(settings.module ?? '') ||
        (settings.module === 'nodenext' && settings.typeScript < 508)),
    note: 'The recipe digest imports pg-boss, an ES module, which TypeScript rejects in CommonJS with this "module". Set it in tsconfig.json to "nodenext" with TypeScript 5.8 or newer, or remove the recipe.',
  },
  {
    isTrue: ({ jest }) => jest !== undefined && jest < 2800,
    note: 'Jest before 28 cannot load the packages, because it does not know "exports" in package.json. Update it to 29.',
  },
  {
    isTrue: ({ jest, hasTsJest }) => jest !== undefined && !hasTsJest,
    note: jestNote(swc),
  },
  {
    isTrue: ({ jest, hasTsJest }) => jest !== undefined && hasTsJest,
    note: jestNote(String.raw`"\\.tsx?$": "ts-jest", ${swc}`),
  },
]

/** The oldest versions that our packages accept as peers. */
const oldest = { express: 421, koa: 216, fastify: 500, next: 1500 }

/**
 * Returns advice on the settings of an app. Errors: `unsupported_settings` if the route would not
 * compile with them, or not install beside the app's version of its framework.
 */
export function checkSettings(
  folder: string,
  app: FoundApp,
  recipes: readonly Recipe[] = [],
): string[] {
  const { framework, adapter, manifest, options, isModule, isTypeScript, entry } = app
  const tools = packagesIn(manifest)
  const platform = join(folder, 'node_modules', '@nestjs', `platform-${adapter ?? ''}`)
  const user = framework === 'nest' ? platform : folder
  if (adapter !== undefined && findNewest(user, manifest, adapter) < oldest[adapter]) {
    const needed = `${Math.floor(oldest[adapter] / 100)}.${oldest[adapter] % 100}`
    throw new CreateError(
      'unsupported_settings',
      `The app uses ${adapter} before ${needed}, which @feed-receiver/${adapter} does not support, so nothing was changed. Update ${framework === 'nest' ? 'Nest' : adapter} first.`,
    )
  }
  // Tests of a Nest app import its modules, and not the file that mounts the route.
  const isLoadedByJest =
    tools.has('jest') && !isModule && framework !== 'nest' && entry !== undefined
  const isRequiring = !isModule && entry?.hasImports === false
  const inJavaScript: CompilerOptions = {
    isIncomplete: true,
    ...(isRequiring && { module: 'commonjs' }),
  }
  const found = checks.filter(({ isTrue }) =>
    isTrue({
      ...(isTypeScript ? options : inJavaScript),
      typeScript: isTypeScript ? findVersion(folder, manifest, 'typescript') : newest,
      jest: isLoadedByJest ? findVersion(folder, manifest, 'jest') : undefined,
      hasTsJest: tools.has('ts-jest'),
      pgBoss: recipes.includes('digest') ? findVersion(folder, manifest, 'pg-boss') : undefined,
      node: spansIn(versionsIn(manifest, 'engines')['node']),
      isModule,
    }),
  )
  const wrong = found.find(({ error }) => error !== undefined)?.error
  if (wrong !== undefined) throw new CreateError('unsupported_settings', wrong)
  return found.flatMap(({ note }) => note ?? [])
}

/** The installed version of a package, or the newest that package.json allows. */
function findVersion(folder: string, manifest: Manifest, name: string): number {
  const text = packageFolders(folder)
    .map((one) => readThere(join(one, name), 'package.json'))
    .find((one) => one !== undefined)
  if (text !== undefined) return newestIn(String(readManifest(text, name)['version']))
  return newestIn(packagesIn(manifest).get(name) ?? '')
}

/** The newest version that package.json allows, or the installed one that it does not name. */
function findNewest(folder: string, manifest: Manifest, name: string): number {
  const range = packagesIn(manifest).get(name)
  return range === undefined ? findVersion(folder, manifest, name) : newestIn(range)
}

/** Of `^5.3.0` it is 5.99, of `~5.3.0` and `5.3.x` it is 5.3. */
function newestIn(range: string): number {
  const ends = spansIn(range).map(({ to }) => to)
  return ends.length === 0 ? newest : Math.max(...ends)
}

function allowsOldNode({ node }: Settings): boolean {
  return node.some(({ from }) => from < 2019)
}

function allowsNodeWithoutRequire({ node }: Settings): boolean {
  return node.some(({ from, to }) => from < 2212 && to >= 2100)
}

/** Of `>=18 <21 || ^22.4.0` it is 18.0 to 20.99, and 22.4 to 22.99. */
function spansIn(range = ''): Span[] {
  return range.split('||').flatMap((part) => {
    const [, sign = '', major, minor] = /^\s*([<>~^=v\s]*)(\d+)(?:\.(\d+))?/.exec(part) ?? []
    if (major === undefined) return []
    const from = sign.includes('<') ? 0 : Number(major) * 100 + Number(minor ?? 0)
    return { from, to: endOf(part) ?? newestLike(sign, major, minor) }
  })
}

/** The end that a part of a range names, as in `>=18 <21` and `18 - 20`. */
function endOf(part: string): number | undefined {
  const end = /(?:(<(?!=))|<=|\s-)\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/
  const [, isBelow, major, minor, patch] = end.exec(part) ?? []
  if (major === undefined) return undefined
  if (isBelow !== undefined) {
    // `<5.0.4` allows 5.0.3.
    return Number(major) * 100 + Number(minor ?? 0) - (Number(patch ?? 0) > 0 ? 0 : 1)
  }
  return Number(major) * 100 + Number(minor ?? 99)
}

function newestLike(sign: string, major: string, minor: string | undefined): number {
  if (sign.includes('>')) return newest
  return Number(major) * 100 + (sign.includes('^') ? 99 : Number(minor ?? 99))
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
