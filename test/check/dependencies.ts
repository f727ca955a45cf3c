/**
 * Holds every package.json to the imports of its package: it names each package that is imported, and
 * no other. Which imports are allowed is said in .dependency-cruiser.mjs.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { listFiles, readPackages, root, type Package } from './workspaces.ts'

const problems = [...readPackages()].flatMap(([name, one]) => {
  const { dependencies, optionalDependencies, peerDependencies } = one.manifest
  const own = Object.keys({ ...dependencies, ...optionalDependencies })
  const names = [...own, ...Object.keys(peerDependencies ?? {})]
  const imports = importsOf(one)
  return [
    ...[...imports]
      .filter(([imported]) => !names.includes(imported))
      .map(
        ([imported, path]) =>
          `${relative(root, path)} imports ${imported}, which its package.json lacks.`,
      ),
    ...own
      .filter((named) => !imports.has(named))
      .map(
        (named) => `packages/${name}/package.json names ${named}, which nothing in src imports.`,
      ),
  ]
})
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else console.log('Every package.json names what its package imports.')

function isSource(path: string): boolean {
  return /\.tsx?$/.test(path) && !path.endsWith('.test.ts')
}

/** The packages that a package imports, its own and Node's left out, each with a file that does. */
function importsOf({ folder, manifest }: Package): Map<string, string> {
  const found = listFiles(join(folder, 'src'), isSource).flatMap((path) => {
    const source = readFileSync(path, 'utf8')
    const specifiers = [...source.matchAll(/(?<![.\w])(?:from|import)\s*\(?\s*'([^'.\n][^'\n]*)'/g)]
    return specifiers.map(([, specifier = '']): [string, string] => [packageOf(specifier), path])
  })
  return new Map(found.filter(([name]) => !name.startsWith('node:') && name !== manifest.name))
}

function packageOf(specifier: string): string {
  const parts = specifier.startsWith('@') ? 2 : 1
  return specifier.split('/').slice(0, parts).join('/')
}
