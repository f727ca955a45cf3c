import { describe, expect, it } from 'vitest'
import { useSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { runTool } from './run-tool.ts'

describe('the command line of the MCP inspector', () => {
  const made = useSandbox({}, 'pglite')

  it('lists the tools, with schemas that all agents can read', async () => {
    const { code, stdout, stderr } = await inspect('--method', 'tools/list', '--strict')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('Warning')])
    const { tools } = JSON.parse(stdout)
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'list_changes',
      'get_change',
      'get_deprecations',
      'check_model',
    ])
  })

  it('calls the tools', async () => {
    const listed = await call('list_changes', 'type=outage', 'limit=1')
    const [{ id }] = listed.structuredContent.data
    const { event } = (await call('get_change', `id=${id}`)).structuredContent
    expect(event).toMatchObject({ id, incident: { timeline: expect.any(Array) } })
    const facts = (await call('get_deprecations')).structuredContent
    expect(facts.data.length).toBeGreaterThan(0)
    const check = (await call('check_model', 'model=embed-latest')).structuredContent
    expect(check.result).toBe('ambiguous')
  })

  it('is rejected without a key', async () => {
    const { code, stdout } = await runTool('mcp-inspector', target('--method', 'tools/list'))
    expect(code).not.toBe(0)
    expect(stdout).not.toContain('list_changes')
  })

  async function call(name: string, ...given: string[]) {
    const args = given.flatMap((pair) => ['--tool-arg', pair])
    const { stdout } = await inspect('--method', 'tools/call', '--tool-name', name, ...args)
    return JSON.parse(stdout)
  }

  async function inspect(...args: string[]) {
    const key = ['--header', `Authorization: Bearer ${made().key}`]
    return await runTool('mcp-inspector', target(...key, ...args))
  }

  function target(...args: string[]): string[] {
    return ['--cli', `${made().sandbox.url}/mcp`, '--transport', 'http', ...args]
  }
})
