// Writes dist/commonjs of each built package, for apps that TypeScript compiles to CommonJS. Node
// loads ES modules with `require`, but TypeScript before 5.8 rejects that, and so does
// `module: node16` of every version. There an entry is a CommonJS module, which loads the ES module.
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

for (const name of await readdir(import.meta.dirname)) {
  const manifest = join(import.meta.dirname, name, 'package.json')
  if (!existsSync(manifest)) continue
  const { exports = {} } = JSON.parse(await readFile(manifest, 'utf8'))
  const entries = Object.values(exports).filter((entry) => entry.require !== undefined)
  if (entries.length > 0) await writeEntries(dirname(manifest), entries)
}

async function writeEntries(folder, entries) {
  const dist = join(folder, 'dist')
  const target = join(dist, 'commonjs')
  await rm(target, { recursive: true, force: true })
  const files = await readdir(dist, { recursive: true })
  for (const file of files.filter((path) => path.endsWith('.d.ts'))) {
    await copyDeclarations(join(dist, file), join(target, file))
  }
  for (const entry of entries) {
    const commonjs = join(folder, entry.require.default)
    const path = pathBetween(commonjs, join(folder, entry.default))
    await writeFile(commonjs, loading(path))
  }
  await writeFile(join(target, 'package.json'), '{ "type": "commonjs" }\n')
}

/** An old Node and Jest cannot load it, and their own errors do not say what to change. */
function loading(path) {
  return `try {
  module.exports = require('${path}')
} catch (error) {
  if (error.code !== 'ERR_REQUIRE_ESM' && error.name !== 'SyntaxError') throw error
  throw new Error(
    'This package is an ES module. To load it with require, use Node 20.19, or 22.12 or newer. In ' +
      'Jest, let it transform the package: https://feed-receiver.github.io/feed-receiver/testing#jest',
    { cause: error },
  )
}
`
}

/** A copy shares the map of its original, so that an editor finds the same source. */
async function copyDeclarations(original, copy) {
  const declarations = await readFile(original, 'utf8')
  const map = `//# sourceMappingURL=${pathBetween(copy, `${original}.map`)}`
  await mkdir(dirname(copy), { recursive: true })
  await writeFile(copy, declarations.replace(/^\/\/# sourceMappingURL=.*$/m, map))
}

function pathBetween(file, other) {
  return relative(dirname(file), other).replaceAll(sep, '/')
}
