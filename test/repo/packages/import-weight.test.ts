import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

describe('importing a package', () => {
  it('loads the MCP SDK only for the tools of the client', () => {
    const client = sourceOf('@feed-receiver/client')
    const { files, packages } = reach(client)
    expect(packages).toEqual(new Set(['@feed-receiver/core', 'zod']))
    expect(files.size).toBeGreaterThan(10)
    const tools = reach(new URL('mcp.ts', client))
    expect(tools.packages).toContain('@modelcontextprotocol/client')
  })

  it('loads the database and pg-boss only when the inbox starts', () => {
    const { files, packages } = reach(sourceOf('@feed-receiver/inbox'))
    expect(packages).toEqual(new Set(['@feed-receiver/core']))
    expect(files.size).toBeGreaterThan(40)
    const started = reach(new URL('open.ts', sourceOf('@feed-receiver/inbox')))
    expect(started.packages).toContain('pg-boss')
    // Only with an SDK.
    expect(started.packages).not.toContain('@opentelemetry/api')
  })

  it('loads only the called verb of the command, and its dependencies', () => {
    const bin = new URL('../../../packages/cli/src/bin.ts', import.meta.url)
    const { files, packages } = reach(bin)
    expect(packages).toEqual(new Set(['commander', 'leven']))
    expect(files).toContain(new URL('commands.ts', bin).href)
    expect([...files].filter((file) => file.includes('/src/commands/'))).toEqual([])
  })
})

/** Every file and package that an import of this one runs, without types and awaited imports. */
function reach(file: URL, files = new Set<string>(), packages = new Set<string>()) {
  if (files.has(file.href) || !existsSync(file)) return { files, packages }
  files.add(file.href)
  const source = readFileSync(file, 'utf8')
  for (const [, what = '', from = ''] of source.matchAll(imports)) {
    if (what.startsWith('type ') || /^\{(\s*type \w+,?)*\s*\}$/.test(what.trim())) continue
    if (from.startsWith('.')) reach(new URL(from, file), files, packages)
    else if (!from.startsWith('node:')) {
      packages.add(
        from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      if (from.startsWith('@feed-receiver/')) reach(sourceOf(from), files, packages)
    }
  }
  return { files, packages }
}

/** The source of an entry of our packages. */
function sourceOf(specifier: string): URL {
  const [, name, ...path] = specifier.split('/')
  const manifest = new URL(`../../../packages/${name}/package.json`, import.meta.url)
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'))
  return new URL(exports[['.', ...path].join('/')]['@feed-receiver/source'], manifest)
}

const imports = /^(?:import|export) ((?:type )?(?:\{[^}]*\}|\w+|\*[^']*)) from '([^']+)'/gm
