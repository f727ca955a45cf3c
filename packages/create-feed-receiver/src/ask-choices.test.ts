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

interface Making {
  /** The keys to type at each question, by its text. */
  typed: Record<string, string>
  args?: string[]
}

const [enter, up, down] = ['\r', '\u001B[A', '\u001B[B']

async function make({ typed, args = [] }: Making): Promise<number> {
  const output = new PassThrough()
  output.on('data', (chunk: Buffer) => (asked += chunk.toString()))
  const made = main([...args, '--no-install', '--no-git'], {
    cwd,
    env: { npm_config_user_agent: 'pnpm/10.1.0' },
    input,
    output,
    canAsk: true,
    hasTerminal: false,
    signal: new AbortController().signal,
    print: () => {},
    complain: (line) => complaints.push(line),
  })
  for (const [question, keys] of Object.entries(typed)) {
    await expect.poll(() => asked).toContain(question)
    input.write(keys)
  }
  return await made
}

const all = { Folder: enter, Framework: enter, Database: enter, 'Package manager': enter }

it('asks four questions', async () => {
  const typed = {
    ...all,
    Folder: `shop${enter}`,
    Database: down + enter,
    'Package manager': up + enter,
  }
  expect(await make({ typed })).toBe(0)
  expect(readFileSync(join(cwd, 'shop/.env'), 'utf8')).toMatch(/^DATABASE_URL=postgres:/m)
  expect(readFileSync(join(cwd, 'shop/README.md'), 'utf8')).toContain('npm run dev')
})

it('uses the defaults without input', async () => {
  expect(await make({ typed: all })).toBe(0)
  expect(readFileSync(join(cwd, 'feed-app/.env'), 'utf8')).not.toMatch(/^DATABASE_URL=/m)
  expect(readFileSync(join(cwd, 'feed-app/README.md'), 'utf8')).toContain('pnpm dev')
})

it('does not ask for values that flags set', async () => {
  const args = ['--template', 'express', '--database', 'embedded', '--pm', 'npm']
  expect(await make({ args, typed: { Folder: `koa-less${enter}` } })).toBe(0)
  expect(asked).not.toMatch(/Framework|Database|Package manager/)
  expect(existsSync(join(cwd, 'koa-less'))).toBe(true)
})

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('creates nothing after %s', async (_, key) => {
  expect(await make({ typed: { Folder: `shop${enter}`, Framework: key } })).toBe(130)
  expect(complaints).toEqual(['\nInterrupted. No files were created.'])
  expect(existsSync(join(cwd, 'shop'))).toBe(false)
})

it('creates nothing if the input ends', async () => {
  const made = make({ typed: { Folder: `shop${enter}`, Framework: '' } })
  await expect.poll(() => asked).toContain('Framework')
  input.end()
  expect(await made).toBe(130)
  expect(complaints).toEqual(['\nInterrupted. No files were created.'])
  expect(existsSync(join(cwd, 'shop'))).toBe(false)
})
