import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The SDK is loaded by the first call of `mcp`, so who only pulls does not wait for it. */
it('the client loads the SDK of MCP only for its tools', () => {
  const index = new URL('../../packages/client/src/index.ts', import.meta.url)
  const { files, packages } = reach(index)
  expect(packages).toEqual(new Set(['@feed-receiver/core']))
  expect(files.size).toBeGreaterThan(10)
  const tools = reach(new URL('mcp.ts', index))
  expect(tools.packages).toContain('@modelcontextprotocol/client')
})

/** Every file and package that an import of this one runs, so neither types nor what is awaited. */
function reach(file: URL, files = new Set<string>(), packages = new Set<string>()) {
  if (files.has(file.href) || !existsSync(file)) return { files, packages }
  files.add(file.href)
  const source = readFileSync(file, 'utf8')
  for (const [, what = '', from = ''] of source.matchAll(imports)) {
    if (what.startsWith('type ') || /^\{(\s*type \w+,?)*\s*\}$/.test(what.trim())) continue
    if (from.startsWith('.')) reach(new URL(from, file), files, packages)
    else if (!from.startsWith('node:'))
      packages.add(
        from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/'),
      )
  }
  return { files, packages }
}

const imports = /^(?:import|export) ((?:type )?(?:\{[^}]*\}|\w+|\*[^']*)) from '([^']+)'/gm
