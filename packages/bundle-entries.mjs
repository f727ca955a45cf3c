// Bundles each entry of a package into one file, so that an app that starts opens a few files in place
// of hundreds. Other packages stay imports, what an entry loads later is in files of its own, and what
// entries share is in one more. The declarations come from `tsc`.
//
// Packing a package bundles those of this package: `node ../bundle-entries.mjs .`
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

/** The packages that an app loads when it starts. */
const bundled = ['client', 'core', 'database', 'inbox', 'sender', 'shards']

/**
 * Modules that two entries need, in one file in place of one for each combination of entries. Those
 * that only Node can load stay out of it, because an edge function loads it, too.
 */
const shared = {
  name: 'shared',
  minShareCount: 2,
  test: (id) => !id.endsWith('.node.ts'),
  includeDependenciesRecursively: false,
}

const { dirname: here } = import.meta
const [, , only] = process.argv
const folders = only === undefined ? bundled.map((name) => join(here, name)) : [resolve(only)]
await Promise.all(folders.filter((folder) => bundled.includes(basename(folder))).map(bundle))

async function bundle(folder) {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const sources = Object.values(exports).flatMap((entry) => entry['@feed-receiver/source'] ?? [])
  const input = Object.fromEntries(
    sources.map((source) => [/^\.\/src\/(.*)\.ts$/.exec(source)[1], source]),
  )
  const bundler = await rolldown({
    cwd: folder,
    input,
    external: /^[^./]/,
    platform: 'node',
    transform: { target: 'es2023' },
    preserveEntrySignatures: 'allow-extension',
  })
  const { output } = await bundler.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: [shared] },
    comments: { jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
  })
  await bundler.close()
  const files = output.map(({ fileName, code, source }) => [
    join(folder, 'dist', fileName),
    code ?? source,
  ])
  // Programs may run from here meanwhile: what is there as it should be stays untouched.
  for (const [path, text] of files) {
    if (existsSync(path) && (await readFile(path, 'utf8')) === text) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  await removeOthers(join(folder, 'dist', 'chunks'), new Set(files.map(([path]) => path)))
}

/** Chunks of an earlier build. */
async function removeOthers(chunks, written) {
  for (const file of existsSync(chunks) ? await readdir(chunks) : []) {
    const path = join(chunks, file)
    if (!written.has(path)) await rm(path)
  }
}
