import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { CreateError } from './errors.ts'

/** The recipes, and the packages that each needs besides those of a template. */
const dependencies = {
  digest: { 'pg-boss': '~12.35.0' },
  incidents: {},
  'model-watch': {},
  'price-history': {},
} satisfies Record<string, Record<string, string>>

export type Recipe = keyof typeof dependencies

const recipes = Object.keys(dependencies).filter(isRecipe)

function isRecipe(name: string): name is Recipe {
  return name in dependencies
}

/** Reads the value of `--recipe`. Errors: `usage` if there is no such recipe. */
export function readRecipes(value = ''): Recipe[] {
  const names = value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const unknown = names.find((name) => !isRecipe(name))
  if (unknown === undefined) return recipes.filter((name) => names.includes(name))
  const text = `There is no recipe ${unknown}. Choose from ${recipes.join(', ')}, separated by commas.`
  throw new CreateError('usage', text)
}

/** The packages that an app needs for its recipes. */
export function dependenciesOf(names: readonly Recipe[]): Record<string, string> {
  return Object.assign({}, ...names.map((name) => dependencies[name]))
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
  const app = findHandlers(files)
  const folder = posix.join(posix.dirname(app.path), 'recipes')
  const mounted = [...files].map(([path, text]) => [path, mount(text, names)] as const)
  const hasTests = [...files.keys()].some((path) => path.startsWith('test/'))
  return new Map([
    ...mounted,
    [posix.join(folder, `index${app.extension}`), adapt(indexOf(names, app.form), app)],
    ...names.flatMap((name) =>
      filesOf(name).flatMap((file) => {
        const path = posix.join(folder, name, file)
        if (!file.endsWith('.ts')) return [[path, read(`${name}/${file}`)] as const]
        const text = read(`${name}/${file.replace(/\.ts$/, `.${app.form}`)}`)
        return [[path.replace(/\.ts$/, app.extension), adapt(text, app)] as const]
      }),
    ),
    ...(hasTests ? names.map((name) => adaptTest(name, folder, app)) : []),
  ])
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
}

function findHandlers(files: ReadonlyMap<string, string>): Handlers {
  const [path = '', text = ''] =
    [...files].find(([name]) => /(?:^|\/)(?:feed-)?handlers\.[cm]?[jt]s$/.test(name)) ?? []
  const isCommonJs = text.includes('module.exports')
  const form = path.endsWith('ts') ? 'ts' : isCommonJs ? 'cjs' : 'js'
  const imports = [...files.values()].map((one) => /'[^']*handlers(\.[cm]?[jt]s)?'/.exec(one))
  const imported = imports.find((found) => found !== null)?.[1] ?? ''
  return { path, extension: posix.extname(path), form, imported }
}

/** Starts the recipes where the app starts its worker, and stops them where it stops its inbox. */
function mount(text: string, names: readonly Recipe[]): string {
  const ordered = names.includes('incidents')
    ? text.replace(/createInbox\(\{ (.*) \}\)/, "createInbox({ $1, ordered: 'subject' })")
    : text
  const started = ordered
    .replace('() => inbox.work(handlers)', 'async () => inbox.work(handlers)')
    .replace(/(\S*inbox)\.work\(handlers\)/, '$1.work(await startRecipes($1, handlers))')
  if (started === ordered) return ordered
  const stopped = started
    .replace(/^( *)await \S*inbox\.stop\(\)$/m, '$1await stopRecipes()\n$&')
    .replace(/^( *)\.then\(\(\) => inbox\.stop\(\)\)$/m, '$1.then(() => stopRecipes())\n$&')
  return addImport(stopped)
}

/** Imports from the recipes, beside the import of the handlers. */
function addImport(text: string): string {
  const imported = '{ startRecipes, stopRecipes }'
  return text
    .replace(
      /^import .*('[^']*?)(?:feed-)?handlers((?:\.[cm]?[jt]s)?')$/m,
      `$&\nimport ${imported} from $1recipes/index$2`,
    )
    .replace(
      /^const \{ handlers \} = require\(('.*?)(?:feed-)?handlers((?:\.[cm]?js)?')\)$/m,
      `$&\nconst ${imported} = require($1recipes/index$2)`,
    )
    .replace(/^import \{ feed \} .*$/m, `$&\nimport ${imported} from './recipes/index'`)
}

/** The file that starts recipes, without the lines that name one that was not chosen. */
function indexOf(names: readonly Recipe[], form: Handlers['form']): string {
  const omitted = recipes.filter((name) => !names.includes(name)).map(inLetters)
  return read(`index.${form}`)
    .split('\n')
    .filter((line) => !omitted.some((name) => inLetters(line).includes(name)))
    .join('\n')
}

/** The letters of a text, by which `createModelWatch` contains `model-watch`. */
function inLetters(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, '')
}

/** Writes the imports of a file as the app writes its own. */
function adapt(text: string, { imported }: Handlers): string {
  return text.replaceAll(/('\.{1,2}\/[^']*)\.ts'/g, `$1${imported}'`)
}

function adaptTest(name: Recipe, folder: string, app: Handlers): readonly [string, string] {
  const text = read(`test/${name}.test.ts`).replaceAll(`'../${name}/`, `'../${folder}/${name}/`)
  return [testPath(name), adapt(text, app)]
}

function testPath(name: Recipe): string {
  return `test/${name}.test.ts`
}

/** The files of a recipe: its code in TypeScript, its README and workflows. */
function filesOf(name: Recipe): string[] {
  const folder = new URL(`${name}/`, source)
  if (!existsSync(folder)) throw new Error(`The recipe ${name} was not packed.`)
  return readdirSync(folder).filter((file) => /\.(?:ts|md|yml)$/.test(file))
}

const source = new URL('../templates/recipes/', import.meta.url)

function read(path: string): string {
  return readFileSync(new URL(path, source), 'utf8')
}
