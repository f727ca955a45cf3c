import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readPackages, root } from '../check/workspaces.ts'

interface RootManifest {
  homepage: string
  license: string
  engines: Record<string, string>
}

interface ReleaseRules {
  fixed: string[][]
}

const { homepage, license, engines } = readJson<RootManifest>('package.json')
const packages = [...readPackages()]

describe.each(packages)('the manifest of packages/%s', (name, { manifest }) => {
  it('links the source, the issues and the documentation', () => {
    expect(manifest).toMatchObject({
      homepage: `${homepage}/tree/main/packages/${name}#readme`,
      bugs: `${homepage}/issues`,
      // npm compares it with the repository in the provenance statement.
      repository: { type: 'git', url: `git+${homepage}.git`, directory: `packages/${name}` },
    })
  })

  it('has a description, a licence and a required Node version', () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/^[A-Z].{20,}[^.]$/),
      keywords: expect.arrayContaining([expect.stringMatching(/^[a-z-]+$/)]),
      license,
      engines,
    })
  })

  it('is public, with provenance, and allows tree shaking', () => {
    expect(manifest).toMatchObject({
      publishConfig: { access: 'public', provenance: true },
      type: 'module',
      sideEffects: false,
      files: expect.arrayContaining(['dist', 'src', '!dist/.tsbuildinfo']),
    })
  })
})

it('packs the entries for CommonJS, also after a build that wrote none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const from = join(root, 'packages')
  const koa = join(folder, 'koa')
  cpSync(join(from, 'commonjs-entries.mjs'), join(folder, 'commonjs-entries.mjs'))
  cpSync(join(from, 'koa'), koa, { recursive: true })
  rmSync(join(koa, 'dist/commonjs'), { recursive: true, force: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], {
    cwd: koa,
    encoding: 'utf8',
  })
  const entries = ['index.js', 'index.d.ts', 'package.json']
  for (const path of entries) expect(printed).toContain(`"dist/commonjs/${path}"`)
  for (const [name, { manifest }] of packages.filter(hasCommonJs)) {
    const prepack = manifest.scripts?.['prepack']?.split(' && ')[0]
    expect([name, prepack]).toEqual([name, 'node ../commonjs-entries.mjs .'])
  }
})

it('packs the guides and the templates of databases with the command', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'packages/cli/dist'), { recursive: true })
  const guides = 'docs/guides'
  for (const path of [
    guides,
    'packages/commonjs-entries.mjs',
    'packages/cli/copy-guides.mjs',
    'packages/cli/pack-templates.mjs',
    'packages/cli/package.json',
  ]) {
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], {
    cwd: join(folder, 'packages/cli'),
    encoding: 'utf8',
  })
  for (const name of readdirSync(join(root, guides))) {
    expect(printed).toContain(`"dist/guides/${name}"`)
  }
  // Of an inbox, and of a sandbox.
  expect(printed.match(/"dist\/templates\/pglite-/g)).toHaveLength(2)
})

it('releases all packages together with one version', () => {
  const { fixed } = readJson<ReleaseRules>('.changeset/config.json')
  const names = packages.map(([, { manifest }]) => manifest.name)
  expect(fixed.map((group) => group.toSorted())).toEqual([names.toSorted()])
  expect(new Set(packages.map(([, { manifest }]) => manifest.version)).size).toBe(1)
})

function hasCommonJs([, { manifest }]: (typeof packages)[number]): boolean {
  return Object.values(manifest.exports ?? {}).some((entry) => 'require' in entry)
}

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Content
}
