// Writes dist/commonjs of each built package, for apps that TypeScript compiles to CommonJS. Node
// loads ES modules with `require`, but TypeScript before 5.8 rejects that, and so does
// `module: node16` of every version. There an entry is a CommonJS module, which loads the ES module.
//
// Packing a package writes those of this package: `node ../commonjs-entries.mjs .`
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'

const { dirname: here } = import.meta
const [, , only] = process.argv
const folders =
  only === undefined ? (await readdir(here)).map((name) => join(here, name)) : [resolve(only)]
for (const folder of folders) {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) continue
  const { exports = {} } = JSON.parse(await readFile(manifest, 'utf8'))
  const entries = Object.values(exports).filter((entry) => entry.require !== undefined)
  if (entries.length > 0) await writeEntries(folder, entries)
}

async function writeEntries(folder, entries) {
  const dist = join(folder, 'dist')
  const target = join(dist, 'commonjs')
  const files = (await readdir(dist, { recursive: true })).map((path) => join(dist, path))
  const isCopy = (file) => file.startsWith(`${target}${sep}`)
  const wanted = new Map([[join(target, 'package.json'), '{ "type": "commonjs" }\n']])
  for (const file of files.filter((path) => path.endsWith('.d.ts') && !isCopy(path))) {
    const copy = join(target, relative(dist, file))
    wanted.set(copy, await declarationsFor(copy, file))
  }
  for (const entry of entries) {
    const commonjs = join(folder, entry.require.default)
    wanted.set(commonjs, loading(pathBetween(commonjs, join(folder, entry.default))))
  }
  // Programs may run from here meanwhile: what is there as it should be stays untouched.
  for (const file of files.filter((path) => isCopy(path) && /\.\w+$/.test(path))) {
    if (!wanted.has(file)) await rm(file)
  }
  for (const [file, content] of wanted) await update(file, content)
}

async function update(file, content) {
  if (existsSync(file) && (await readFile(file, 'utf8')) === content) return
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
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
async function declarationsFor(copy, original) {
  const declarations = await readFile(original, 'utf8')
  const map = `//# sourceMappingURL=${pathBetween(copy, `${original}.map`)}`
  return declarations.replace(/^\/\/# sourceMappingURL=.*$/m, map)
}

function pathBetween(file, other) {
  return relative(dirname(file), other).replaceAll(sep, '/')
}
