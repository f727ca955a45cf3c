import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { useSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { addKey } from './add-key.ts'
import { runTool } from './run-tool.ts'

/** The official suite of the protocol, with the sandbox. */
describe('the conformance suite of MCP', () => {
  const made = useSandbox({}, 'pglite')
  beforeAll(() => made().sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 100_000 }))

  it.each(['2026-07-28', '2025-11-25'])(
    'passes under %s, except for listed features that do not apply',
    async (revision) => {
      const { sandbox, key } = made()
      const { url, server } = await addKey(sandbox.url, key)
      const results = await mkdtemp(join(tmpdir(), 'feed-receiver-conformance-'))
      onTestFinished(async () => {
        server.closeAllConnections()
        server.close()
        await rm(results, { recursive: true })
      })
      const listed = fileURLToPath(new URL(`not-applicable-${revision}.yaml`, import.meta.url))
      const { code, stdout, stderr } = await runTool('conformance', [
        'server',
        `--url=${url}/mcp`,
        `--requirements=${revision}`,
        `--expected-failures=${listed}`,
        `--output-dir=${results}`,
      ])
      const said = `${stdout}\n${stderr}`
      console.log(said.match(/^✓.*$/gm)?.join('\n'))
      expect([code, code === 0 ? '' : said]).toEqual([0, ''])
      expect(said).toContain('✓ tools-list')
      expect(said).toContain('✓ dns-rebinding-protection')
    },
  )
})
