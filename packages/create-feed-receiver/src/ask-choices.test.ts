import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { main } from './main.ts'

let cwd: string
let input: PassThrough
let asked: string
let complaints: string[]

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-ask-'))
  input = new PassThrough()
  asked = ''
  complaints = []
})
afterEach(() => rmSync(cwd, { recursive: true }))

async function make(...args: string[]): Promise<number> {
  const output = new PassThrough()
  output.on('data', (chunk: Buffer) => (asked += chunk.toString()))
  return await main([...args, '--no-install', '--no-git'], {
    cwd,
    env: { npm_config_user_agent: 'pnpm/10.1.0' },
    input,
    output,
    canAsk: true,
    signal: new AbortController().signal,
    print: () => {},
    complain: (line) => complaints.push(line),
  })
}

it('asks four questions, and takes answers that are typed ahead', async () => {
  input.write('shop\n\npost\nn\nnpm\n')
  expect(await make()).toBe(0)
  expect(readFileSync(join(cwd, 'shop/.env'), 'utf8')).toMatch(/^DATABASE_URL=postgres:/m)
  // A first letter was enough for npm; the line behind it answers nothing.
  expect(asked.match(/\): /g)).toHaveLength(4)
  expect(asked).toContain('Package manager: npm, pnpm, yarn, bun (pnpm): ')
})

it('asks again where it does not understand', async () => {
  input.write('shop\nrails\nexp\n\n\n')
  expect(await make()).toBe(0)
  expect(asked.match(/Framework/g)).toHaveLength(2)
})

it('asks for nothing that a flag says', async () => {
  input.write('koa-less\n')
  expect(await make('--template', 'express', '--database', 'embedded', '--pm', 'npm')).toBe(0)
  expect(asked.match(/\): /g)).toHaveLength(1)
  expect(existsSync(join(cwd, 'koa-less'))).toBe(true)
})

it('makes nothing where the input ends', async () => {
  input.end('shop\n')
  expect(await make()).toBe(130)
  expect(complaints).toEqual(['\nInterrupted. Nothing was made.'])
  expect(existsSync(join(cwd, 'shop'))).toBe(false)
})
