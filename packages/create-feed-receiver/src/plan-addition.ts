import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import {
  adviseOnSecret,
  hasLine,
  readThere,
  secretName,
  withSecret,
  withLines,
} from './env-file.ts'
import { checkSettings } from './check-settings.ts'
import { CreateError } from './errors.ts'
import type { FoundApp } from './find-app.ts'
import { findDatabase, withDatabase, type FoundDatabase } from './find-database.ts'
import { createsInbox, readSources } from './find-entry.ts'
import { versionsIn, withOwnVersions } from './manifest.ts'
import { findTestRunner } from './find-tools.ts'
import { formOf, planFiles, type Edit } from './plan-files.ts'
import {
  addRecipes,
  addRecipesBeside,
  adviseOnRecipes,
  dependenciesOf,
  type Recipe,
} from './recipes.ts'

/** The changes to an app, and the steps left to its owner. */
export interface Addition {
  files: Map<string, string>
  /** Describes the changes in `files`. */
  changes: string[]
  /** The lines that the owner adds. */
  edits: Edit[]
  /** The files in code that are new, or that the owner changes. */
  code: string[]
  /** Further steps. */
  warnings: string[]
}

/**
 * Plans an addition: the receiver and recipes, or in an app that receives the feed only the recipes,
 * because two workers would take events from each other.
 * Errors: `already_there` if there is nothing to add or a file to be added exists, and those of
 * `planFiles` and `checkSettings`.
 */
export function planAddition(
  folder: string,
  app: FoundApp,
  recipes: readonly Recipe[] = [],
): Addition {
  const sources = readSources(folder)
  const present = sources.find(createsInbox)?.path
  if (present === undefined) return planFeed(folder, app, recipes)
  if (recipes.length > 0) return planRecipes(folder, app, recipes, sources)
  throw new CreateError(
    'already_there',
    `${present} creates an inbox, so the app receives the feed already, and nothing was changed. To add a recipe, pass --recipe.`,
  )
}

function planRecipes(
  folder: string,
  app: FoundApp,
  recipes: readonly Recipe[],
  sources: readonly { path: string; text: string }[],
): Addition {
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const imported = app.entry === undefined ? '' : formOf(app).imported
  const { files, edits } = addRecipesBeside(folder, texts, recipes, imported)
  rejectTaken(folder, files)
  // Whatever mounts its receiver is installed.
  const mounted = { ...app, adapter: undefined }
  const dependencies = missingDependencies(mounted, recipes)
  return {
    edits,
    files: new Map([...files, ['package.json', changeManifest(app, dependencies)]]),
    changes: [...files.keys(), ...describe(dependencies)],
    code: codeOf(files, edits),
    warnings: [...adviseOnRecipes(files), ...checkSettings(folder, mounted, recipes)],
  }
}

function planFeed(folder: string, app: FoundApp, recipes: readonly Recipe[]): Addition {
  const { files: base, notes, edits } = planFiles(folder, app)
  const planned = addRecipes(base, recipes)
  const advice = checkSettings(folder, app, recipes)
  const database = findDatabase(folder)
  const added = new Map([...planned].map(([path, text]) => [path, withDatabase(text, database)]))
  rejectTaken(folder, added)
  const dependencies = missingDependencies(app, recipes)
  const env = planEnv(folder, database)
  const ignored = planIgnored(folder)
  const isInGit = isTracked(folder, '.env')
  const runner = findTestRunner(app)
  return {
    edits,
    files: new Map([
      ...added,
      ['package.json', changeManifest(app, dependencies)],
      ...env.map(({ path, text }) => [path, text] as const),
      ...(ignored ? [['.gitignore', ignored.text] as const] : []),
    ]),
    changes: [
      ...added.keys(),
      ...(database.reason ? [`database: ${database.name}, ${database.reason}`] : []),
      ...describe(dependencies),
      ...env.map(({ path, names }) => `${path}: ${names.join(' and ')}`),
      ...(ignored ? [`.gitignore: ${ignored.lacking.join(' and ')}`] : []),
    ],
    code: codeOf(added, edits),
    warnings: [
      ...adviseOnRecipes(planned),
      ...notes,
      ...advice,
      runner === undefined ? '' : adviseOnTests(runner, database, [...added.keys()]),
      adviseOnLocal(database, app),
      // An existing secret stays, whatever it is.
      adviseOnSecret(readThere(folder, '.env') ?? '', app.framework) ?? '',
      isInGit ? 'git tracks .env with its secret. Untrack it: git rm --cached .env' : '',
    ].filter(Boolean),
  }
}

/** Errors: `already_there`. */
function rejectTaken(folder: string, added: ReadonlyMap<string, string>): void {
  const taken = [...added.keys()].find((path) => existsSync(join(folder, path)))
  if (taken !== undefined)
    throw new CreateError(
      'already_there',
      `${taken} already exists, so nothing was changed. To add it again, delete or rename it.`,
    )
}

function describe(dependencies: Record<string, string>): string[] {
  return Object.entries(dependencies).map(
    ([name, range]) => `package.json: dependency ${name} ${range}`,
  )
}

function codeOf(added: ReadonlyMap<string, string>, edits: readonly Edit[]): string[] {
  const paths = new Set([...added.keys(), ...edits.flatMap(({ path }) => path ?? [])])
  return [...paths].filter((path) => /\.[cm]?[jt]s$/.test(path))
}

function adviseOnTests(runner: string, { name }: FoundDatabase, paths: string[]): string {
  const module = paths.find((path) => /feed-(?:route|receiver)\./.test(path)) ?? ''
  return (
    `Your tests use ${runner}. For one that handles events, set ${name} to a database for tests ` +
    `before it imports ${module}. That file exports startFeed(), retryNow(), which skips the ` +
    'backoff, and stopFeed(), to be called at the end.'
  )
}

/** The advice on a database that only .env.local names. Of the frameworks, only Next loads it. */
function adviseOnLocal({ name, isOnlyLocal }: FoundDatabase, { framework }: FoundApp): string {
  if (!isOnlyLocal || framework === 'next') return ''
  return (
    `The route loads .env, but not .env.local. Set ${name} in .env too, unless your app loads ` +
    '.env.local before it imports the route.'
  )
}

/** Our packages that the app lacks, with their ranges. */
function missingDependencies(
  { adapter, manifest }: FoundApp,
  recipes: readonly Recipe[],
): Record<string, string> {
  const present = versionsIn(manifest, 'dependencies')
  const own = ['core', 'inbox', ...(adapter === undefined ? [] : [adapter])]
  // Recipes import the types of the database.
  if (recipes.length > 0) own.push('database')
  const needed = {
    ...Object.fromEntries(own.map((name) => [`@feed-receiver/${name}`, ''])),
    ...dependenciesOf(recipes),
  }
  const missing = Object.entries(needed).filter(([name]) => !(name in present))
  return withOwnVersions(Object.fromEntries(missing))
}

/** The text of package.json with these dependencies, and every other line unchanged. */
function changeManifest(
  { manifest, manifestText }: FoundApp,
  added: Record<string, string>,
): string {
  if (Object.keys(added).length === 0) return manifestText
  const all = Object.entries({ ...versionsIn(manifest, 'dependencies'), ...added })
  const dependencies = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const indent = /^([ \t]+)"/m.exec(manifestText)?.[1] ?? '  '
  const lines = JSON.stringify(dependencies, null, indent).replaceAll('\n', `\n${indent}`)
  // At the indentation of a member of the file, so that it is not one of a nested object.
  const found = new RegExp(`^(${indent}"dependencies"\\s*:\\s*)\\{[^{}]*\\}`, 'm')
  if (found.test(manifestText))
    return manifestText.replace(found, (_, before: string) => before + lines)
  const text = JSON.stringify({ ...manifest, dependencies }, null, indent)
  return manifestText.endsWith('\n') ? `${text}\n` : text
}

/**
 * The .env files that lack the secret, with it: a development secret, and an empty one in the
 * example, beside the name of the database that the route reads, if it is an unusual one.
 */
function planEnv(
  folder: string,
  { name, reason }: FoundDatabase,
): { path: string; text: string; names: string[] }[] {
  const env = readThere(folder, '.env') ?? ''
  const extended = withSecret(env)
  const example = readThere(folder, '.env.example')
  const wanted = [secretName, ...(reason === undefined ? [] : [name])]
  const lacking = example === undefined ? [] : wanted.filter((one) => !hasLine(example, one))
  // Empty, because a copy of the example must not contain a publicly known secret.
  const shown = withLines(
    example ?? '',
    lacking.map((one) => `${one}=`),
  )
  return [
    { path: '.env', text: extended, names: extended === env ? [] : [secretName] },
    { path: '.env.example', text: shown, names: lacking },
  ].filter(({ names }) => names.length > 0)
}

/** Paths that git must ignore: the secret, and the embedded database. */
const ownPaths = ['.env', '.feed-receiver/']

/** The lines that a folder's .gitignore lacks, with its new text; undefined if it lacks none. */
export function planIgnored(folder: string): { text: string; lacking: string[] } | undefined {
  const text = readThere(folder, '.gitignore') ?? ''
  const lacking = ownPaths.filter((path) => !isIgnored(folder, path, text))
  if (lacking.length === 0) return undefined
  return { text: withLines(text, lacking), lacking }
}

/** Whether git already tracks a file, which .gitignore does not change. */
function isTracked(folder: string, path: string): boolean {
  const listed = spawnSync('git', ['ls-files', '--error-unmatch', '--', path], { cwd: folder })
  return listed.status === 0
}

// A .gitignore further up counts too, so git is asked. Outside of a repository it knows nothing.
function isIgnored(folder: string, path: string, text: string): boolean {
  const asked = ['check-ignore', '--no-index', '--quiet', '--', path]
  const { status } = spawnSync('git', asked, { cwd: folder })
  if (status === 0 || status === 1) return status === 0
  const bare = path.replace(/\/$/, '')
  const lines = text.split('\n').map((line) => line.trim())
  return [path, bare, `/${path}`, `/${bare}`].some((known) => lines.includes(known))
}
