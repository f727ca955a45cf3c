import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { CreateError } from './errors.ts'
import { createsInbox, withoutNotes } from './find-entry.ts'
import { importLine, specifierOf, type Edit } from './plan-files.ts'

const recipes = ['digest', 'incidents', 'model-watch', 'price-history'] as const

export type Recipe = (typeof recipes)[number]

/** Reads the value of `--recipe`. Errors: `usage` if there is no such recipe. */
export function readRecipes(value = ''): Recipe[] {
  const names = value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const unknown = names.find((name) => !recipes.some((recipe) => recipe === name))
  if (unknown === undefined) return recipes.filter((name) => names.includes(name))
  const text = `There is no recipe ${unknown}. Choose from ${recipes.join(', ')}, separated by commas.`
  throw new CreateError('usage', text)
}

/** The packages that recipes need besides those of a template. */
export function dependenciesOf(names: readonly Recipe[]): Record<string, string> {
  return names.includes('digest') ? { 'pg-boss': '~12.35.0' } : {}
}

/**
 * Adds recipes beside the handlers of an app, and combines their handlers with those of the app.
 * Their tests go to the folder `test`, if the app has one.
 */
export function addRecipes(
  files: ReadonlyMap<string, string>,
  names: readonly Recipe[],
): Map<string, string> {
  if (names.length === 0) return new Map(files)
  const app = findHandlers(files, '')
  const mounted = [...files].map(([path, text]) => [path, mount(text, names)] as const)
  const hasTests = [...files.keys()].some((path) => path.startsWith('test/'))
  return new Map([
    ...mounted,
    [app.index, indexFor(app, names)],
    ...filesFor(app, names),
    ...(hasTests ? names.map((name) => adaptTest(name, app)) : []),
  ])
}

/**
 * Adds recipes to an app that receives the feed already, whose code stays. `imported` is the
 * extension in an import if its handlers have no file of their own.
 */
export function addRecipesBeside(
  folder: string,
  sources: ReadonlyMap<string, string>,
  names: readonly Recipe[],
  imported: string,
): { files: Map<string, string>; edits: Edit[] } {
  const app = findHandlers(sources, imported)
  const files = filesFor(app, names)
  const { index } = app
  const texts = [...sources.values()]
  const isOrdered = texts.some((text) => /\bordered: ['"]subject['"]/.test(text))
  const ordering: Edit[] =
    names.includes('incidents') && !isOrdered
      ? [{ where: 'Among the options of createInbox', line: "ordered: 'subject'," }]
      : []
  // In SvelteKit it is deeper than the sources.
  if (existsSync(join(folder, index)))
    return { files, edits: [...editsOfIndex(index, names, app), ...ordering] }
  files.set(index, indexFor(app, names))
  const [path, text] = [...sources].find(([, one]) => /\binbox\.work\(/.test(one)) ?? [app.path, '']
  const [start = 'await inbox.work(handlers)'] =
    /^.*\binbox\.work\(handlers\).*$/m.exec(withoutNotes(text)) ?? []
  const specifier = specifierOf(path, posix.join(app.folder, `index${app.imported}`))
  const edits = [
    { where: `At the top of ${path}`, line: recipesImport(specifier, app.form), path },
    { where: 'Where the worker starts', line: startWith(start.trim()), path },
    { where: 'Before the inbox stops', line: 'await stopRecipes()' },
  ]
  return { files, edits: [...edits, ...ordering] }
}

/** The lines of further recipes in the file that starts the others. */
function editsOfIndex(path: string, names: readonly Recipe[], app: Handlers): Edit[] {
  const lines = adapt(read(`index.${app.form}`), app)
    .split('\n')
    .filter((one) => namesOne(one, names))
    .map((one) => one.trim())
  const imports = lines.filter((one) => /^import\b|\brequire\(/.test(one))
  const handlers = lines.filter((one) => one.endsWith(','))
  const starts = lines.filter((one) => !imports.includes(one) && !handlers.includes(one))
  return [
    { where: `At the top of ${path}`, line: imports.join('\n  '), path },
    { where: 'Before its return of combineHandlers', line: starts.join('\n  '), path },
    { where: 'Among the handlers of combineHandlers', line: handlers.join('\n  '), path },
  ].filter(({ line }) => line !== '')
}

/** The files of recipes, without the one that starts them. */
function filesFor(app: Handlers, names: readonly Recipe[]): Map<string, string> {
  return new Map(
    names.flatMap((name) =>
      filesOf(name).map((file) => {
        const path = posix.join(app.folder, name, file.replace(/\.ts$/, app.extension))
        const text = read(`${name}/${file.replace(/\.ts$/, `.${app.form}`)}`)
        return [path, adapt(text, app)] as const
      }),
    ),
  )
}

/** The next steps for the recipes among these files, one a line. */
export function adviseOnRecipes(files: ReadonlyMap<string, string>): string[] {
  const setUp = [...files.keys()]
    .filter((path) => /(?:^|\/)recipes\/.*README\.md$/.test(path))
    .map((path) => `Read ${path} to set up this recipe.`)
  const hasTests = recipes.some((name) => files.has(testPath(name)))
  return setUp.length === 0 || hasTests ? setUp : [...setUp, testsElsewhere]
}

const testsElsewhere =
  'The tests of recipes need Vitest and TypeScript, so none were added. Copy them from https://github.com/feed-receiver/feed-receiver/tree/main/templates/recipes/test.'

interface Handlers {
  path: string
  /** Of its file, such as `.mts`. */
  extension: string
  /** Which of the copies of a recipe: in TypeScript, as an ES module or in CommonJS. */
  form: 'ts' | 'js' | 'cjs'
  /** The extension in an import of it; empty if the app imports without one. */
  imported: string
  /** The folder of the recipes, beside it. */
  folder: string
  /** The file in that folder that starts them. */
  index: string
}

/** The handlers of an app, or what creates its inbox if they have no file of their own. */
function findHandlers(files: ReadonlyMap<string, string>, otherwise: string): Handlers {
  const named = (form: RegExp) => [...files].find(([name]) => form.test(name))
  // An app may have handlers of something else, too.
  const [path = '', text = ''] =
    named(/(?:^|\/)feed-handlers\.[cm]?[jt]s$/) ??
    named(/(?:^|\/)handlers\.[cm]?[jt]s$/) ??
    [...files].find(([name, one]) => createsInbox({ path: name, text: one })) ??
    []
  // An ES module may call createRequire, or name require in a comment.
  const isModule = /^(?:import|export)\b(?!\s*\()/m.test(text)
  const isCommonJs = !isModule && /\bmodule\.exports\b|\brequire\(/.test(text)
  const form = path.endsWith('ts') ? 'ts' : isCommonJs ? 'cjs' : 'js'
  const imports = [...files.values()].map((one) =>
    /['"]\.[^'"]*\bhandlers(\.[cm]?[jt]s)?['"]/.exec(one),
  )
  const found = imports.find((one) => one !== null)
  const imported = found ? (found[1] ?? '') : otherwise
  const folder = posix.join(posix.dirname(path), 'recipes')
  const extension = posix.extname(path)
  return { path, extension, form, imported, folder, index: `${folder}/index${extension}` }
}

/** Starts the recipes where the app starts its worker, and stops them where it stops its inbox. */
function mount(text: string, names: readonly Recipe[]): string {
  const ordered = names.includes('incidents')
    ? text.replace(/createInbox\(\{ (.*) \}\)/, "createInbox({ $1, ordered: 'subject' })")
    : text
  const started = startWith(ordered)
  if (started === ordered) return ordered
  return addImport(started.replace(/^( *)await \S*inbox\.stop\(\)$/m, '$1await stopRecipes()\n$&'))
}

/** The code that starts the worker, with the recipes. */
function startWith(text: string): string {
  return text
    .replace(/(?<!async )\(\) => inbox\.work\(handlers\)/, 'async $&')
    .replace(/([\w.]*\binbox)\.work\(handlers\)/, '$1.work(await startRecipes($1, handlers))')
}

/** Imports from the recipes, beside the import of the handlers. */
function addImport(text: string): string {
  return text
    .replace(
      /^import .*('[^']*?)(?:feed-)?handlers((?:\.[cm]?[jt]s)?')$/m,
      `$&\n${recipesImport('$1recipes/index$2', 'js')}`,
    )
    .replace(
      /^const \{ handlers \} = require\(('.*?)(?:feed-)?handlers((?:\.[cm]?js)?')\)$/m,
      `$&\n${recipesImport('$1recipes/index$2', 'cjs')}`,
    )
    .replace(/^import \{ feed \} .*$/m, `$&\n${recipesImport("'./recipes/index'", 'js')}`)
}

function recipesImport(specifier: string, form: Handlers['form']): string {
  return importLine('startRecipes, stopRecipes', specifier, form === 'cjs')
}

/** The file that starts recipes, without the lines that name one that was not chosen. */
function indexFor(app: Handlers, names: readonly Recipe[]): string {
  const omitted = recipes.filter((name) => !names.includes(name))
  const lines = read(`index.${app.form}`).split('\n')
  return adapt(lines.filter((line) => !namesOne(line, omitted)).join('\n'), app)
}

function namesOne(line: string, names: readonly Recipe[]): boolean {
  return names.some((name) => inLetters(line).includes(inLetters(name)))
}

/** The letters of a text, by which `createModelWatch` contains `model-watch`. */
function inLetters(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, '')
}

/** Writes the imports of a file as the app writes its own. */
function adapt(text: string, { imported }: Handlers): string {
  return text.replaceAll(/('\.{1,2}\/[^']*)\.ts'/g, `$1${imported}'`)
}

function adaptTest(name: Recipe, app: Handlers): readonly [string, string] {
  const text = read(testPath(name)).replaceAll(`'../${name}/`, `'../${app.folder}/${name}/`)
  return [testPath(name), adapt(text, app)]
}

function testPath(name: Recipe): string {
  return `test/${name}.test.ts`
}

/** The files of a recipe: its code in TypeScript, its README and workflows. */
function filesOf(name: Recipe): string[] {
  return readdirSync(new URL(`${name}/`, source)).filter((file) => /\.(?:ts|md|yml)$/.test(file))
}

const source = new URL('../templates/recipes/', import.meta.url)

function read(path: string): string {
  return readFileSync(new URL(path, source), 'utf8')
}
