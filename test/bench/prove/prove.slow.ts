import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { repository } from '../../support/built-program.ts'

it('writes a report with its data, and leaves a folder that exists alone', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'feed-receiver-proof-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  const output = join(parent, 'report')
  expect(await prove('--quick', '--only', 'conformance', '--seed', '5', '--output', output)).toBe(0)
  const text = await readFile(join(output, 'report.md'), 'utf8')
  expect(text).toContain('`npm run prove -- --seed 5 --quick`')
  expect(text).toContain('| [What the service may send](#what-the-service-may-send) | holds |')
  expect(text).toMatch(/\| this kit \| 61 \| 0 \| 0 \| 0 \| – \| – \|/)
  expect(text).toMatch(/\| insert, then send \| \d+ \|/)
  const { seed, chapters } = JSON.parse(await readFile(join(output, 'report.json'), 'utf8'))
  expect(seed).toBe(5)
  expect(chapters).toMatchObject([{ name: 'conformance', problems: [] }])
  expect(await prove('--only', 'conformance', '--output', output)).toBe(2)
})

async function prove(...args: string[]): Promise<number> {
  const options = { cwd: repository, stdio: 'inherit' } as const
  const program = ['--import', 'tsx', 'test/bench/prove/prove.ts']
  const child = spawn(process.execPath, [...program, ...args], options)
  const [code] = (await once(child, 'close')) as [number]
  return code
}
