// Bundles each entry of a package into one file, so that an app that starts opens a few files in place
// of hundreds. Other packages stay imports, and what an entry loads later is in files of its own. The
// declarations come from `tsc`.
//
// Packing a package bundles those of this package: `node ../bundle-entries.mjs .`
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'

/** The packages that an app loads when it starts. */
const bundled = ['client', 'core', 'database', 'inbox', 'sender', 'shards']

const { dirname: here } = import.meta
const [, , only] = process.argv
const folders = only === undefined ? bundled.map((name) => join(here, name)) : [resolve(only)]
await Promise.all(folders.filter((folder) => bundled.includes(basename(folder))).map(bundle))

async function bundle(folder) {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const entries = Object.values(exports).flatMap((entry) => entry['@feed-receiver/source'] ?? [])
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [...new Set(entries)],
    outdir: 'dist',
    outbase: 'src',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    sourcemap: true,
    sourcesContent: false,
    write: false,
  })
  // Programs may run from here meanwhile: what is there as it should be stays untouched.
  for (const { path, text } of outputFiles) {
    if (existsSync(path) && (await readFile(path, 'utf8')) === text) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  await removeOthers(join(folder, 'dist', 'chunks'), new Set(outputFiles.map(({ path }) => path)))
}

/** Chunks of an earlier build. */
async function removeOthers(chunks, written) {
  for (const file of existsSync(chunks) ? await readdir(chunks) : []) {
    const path = join(chunks, file)
    if (!written.has(path)) await rm(path)
  }
}
