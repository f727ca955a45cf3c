/**
 * Checks that every file and folder directly in the `src` of a package is in a layer of
 * .dependency-cruiser.mjs, because the rules say nothing about one that does not.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
// @ts-expect-error -- a configuration without types
import { packages } from '../../../.dependency-cruiser.mjs'
import { root } from './workspaces.ts'

const layersOf = packages as Record<string, { layers?: string[][] }>

const problems = Object.entries(layersOf).flatMap(([name, { layers }]) => {
  // An adapter is a single file.
  if (!layers) return []
  const parts = new RegExp(`^(${layers.flat().join('|')})$`)
  const src = join(root, 'packages', name, 'src')
  return topOf(src)
    .filter((part) => !parts.test(part))
    .flatMap((part) => partsOf(src, part))
    .filter((part) => !parts.test(part))
    .map((part) => `packages/${name}/src/${part} is in no layer of .dependency-cruiser.mjs.`)
})
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else console.log('Every file and folder of the packages is in a layer.')

/** The folders and files of code directly in a folder, without endings. */
function topOf(folder: string): string[] {
  const found = readdirSync(folder, { withFileTypes: true })
  const isCode = (name: string) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)
  const named = found.filter((entry) => entry.isDirectory() || isCode(entry.name))
  return named.map((entry) => (entry.isDirectory() ? entry.name : parse(entry.name).name))
}

/** The files of a folder without a layer of its own, because each of them may have one. */
function partsOf(src: string, part: string): string[] {
  const folder = join(src, part)
  if (!existsSync(folder)) return [part]
  return topOf(folder).map((file) => `${part}/${file}`)
}
