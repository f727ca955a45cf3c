/**
 * Checks that every package.json names each package that its sources import, and no other. The
 * allowed imports are in .dependency-cruiser.mjs.
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
        (named) => `packages/${name}/package.json names ${named}, but nothing in src imports it.`,
      ),
  ]
})
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else console.log('Every package.json names what its package imports.')

function isSource(path: string): boolean {
  return /\.tsx?$/.test(path) && !path.endsWith('.test.ts')
}

/** The packages that a package imports, except itself and Node, each with an importing file. */
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
