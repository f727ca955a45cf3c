/**
 * Notes what a reviewer should look at, and fails at nothing: files of more than 300 lines of code
 * (the linter fails at 450), and files of less than 60 with a single importer, which may belong
 * into it. A file for another runtime has a reason, and so has an entry.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { listFiles, readPackages, root } from './workspaces.ts'

const longLines = 300
const shortLines = 60

const files = [...readPackages().values()].flatMap(({ folder }) =>
  listFiles(join(folder, 'src'), isSource),
)
const importers = countImporters()
const lengths = files.map((path) => ({ path, length: countCode(readFileSync(path, 'utf8')) }))

const long = lengths.filter(({ length }) => length > longLines)
for (const { path, length } of long) {
  console.log(`${relative(root, path)} has ${length} lines of code, more than ${longLines}.`)
}
const lonely = lengths
  .filter(({ path, length }) => length < shortLines && importers.get(path) === 1)
  .filter(({ path }) => !/\.(node|web)\.ts$|\/index\.ts$/.test(path))
const inEach = [...readPackages().keys()]
  .map((name) => `${name} ${lonely.filter(({ path }) => packageOf(path) === name).length}`)
  .join(', ')
console.log(`${long.length} files of more than ${longLines} lines of code.`)
console.log(
  `${lonely.length} files of less than ${shortLines} lines with a single importer: ${inEach}.`,
)
if (process.argv.includes('--list')) {
  for (const { path, length } of lonely) console.log(`${relative(root, path)} ${length}`)
}

function isSource(path: string): boolean {
  return /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !path.includes('/migrations/')
}

/** The lines that are neither blank nor only a comment. */
function countCode(source: string): number {
  const code = source.replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '')
  return code.split('\n').filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length
}

function countImporters(): Map<string, number> {
  const imported = files.flatMap((path) => {
    const source = readFileSync(path, 'utf8')
    const specifiers = source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^'\n]+)'/g)
    const targets = [...specifiers].map(([, target = '']) => join(dirname(path), target))
    return [...new Set(targets)].filter((target) => existsSync(target))
  })
  const counts = new Map<string, number>()
  for (const path of imported) counts.set(path, (counts.get(path) ?? 0) + 1)
  return counts
}

function packageOf(path: string): string {
  return relative(join(root, 'packages'), path).split('/')[0] ?? ''
}
