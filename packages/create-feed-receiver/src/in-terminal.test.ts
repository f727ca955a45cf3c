import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInTerminal } from '../test/run-create.ts'

let cwd: string
const read = (path: string) => readFileSync(join(cwd, path), 'utf8')
const [enter, up, down, interrupt] = ['\r', '\u001B[A', '\u001B[B', '\u0003']

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-terminal-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

describe('in a terminal', () => {
  it('asks with lists for the arrow keys', async () => {
    const { code } = await runInTerminal(['--no-install', '--no-git'], {
      cwd,
      typed: [
        ['Folder', `shop${enter}`],
        ['Framework', down + enter],
        ['Database', down + enter],
        ['Package manager', down + down + up + enter],
      ],
    })
    expect(code).toBe(0)
    expect(read('shop/package.json')).toContain('@feed-receiver/koa')
    expect(read('shop/.env')).toMatch(/^DATABASE_URL=postgres:/m)
    expect(read('shop/README.md')).toContain('pnpm install')
  })

  it.each([
    ['flags', ['shop', '-t', 'hono', '--database', 'postgres', '--pm', 'npm'], {}],
    ['--yes', ['shop', '--yes'], {}],
    ['CI', ['shop'], { env: { CI: 'true' } }],
    ['a terminal without columns', ['shop'], { columns: 0 }],
  ])('asks nothing with %s', async (_, args, options) => {
    const all = [...args, '--no-install', '--no-git']
    const run = await runInTerminal(all, { cwd, typed: [], ...options })
    expect(run.code).toBe(0)
    expect(run.stdout).not.toMatch(/Folder|Framework|Database|Package manager/)
    expect(existsSync(join(cwd, 'shop/package.json'))).toBe(true)
  })

  it('creates nothing after Ctrl-C at a question', async () => {
    const { code, stdout } = await runInTerminal([], {
      cwd,
      typed: [
        ['Folder', `shop${enter}`],
        ['Framework', interrupt],
      ],
    })
    expect(code).toBe(130)
    expect(stdout).toContain('Interrupted. No files were created.')
    expect(existsSync(join(cwd, 'shop'))).toBe(false)
  })

  it('shows the output of the package manager, and clears it when it is done', async () => {
    const env = havePnpm('echo fetched one; echo fetched two >&2')
    const { code, stdout } = await runInTerminal(['shop', '--pm', 'pnpm', '--yes'], {
      cwd,
      env,
      typed: [],
    })
    expect(code).toBe(0)
    expect(stdout).toContain('fetched one')
    expect(stdout).toContain('fetched two')
    const cleared = stdout.lastIndexOf('\u001B[1A')
    expect(stdout.slice(cleared)).not.toContain('fetched')
    expect(stdout.slice(cleared)).toMatch(/Installed in .* s\./)
  })

  it('keeps the output of a failed package manager on the screen', async () => {
    const env = havePnpm('echo no such package >&2; exit 3')
    const { code, stdout } = await runInTerminal(['shop', '--pm', 'pnpm', '--yes'], {
      cwd,
      env,
      typed: [],
    })
    expect(code).toBe(1)
    expect(stdout.slice(stdout.lastIndexOf('\u001B[1A'))).toContain('no such package')
    expect(stdout).toContain('pnpm failed, so the packages are not installed.')
  })

  it('ends the installation on Ctrl-C', async () => {
    const env = havePnpm('echo $$ > pid; echo fetched one; exec sleep 60')
    const { code, stdout } = await runInTerminal(['shop', '--pm', 'pnpm', '--yes'], {
      cwd,
      env,
      typed: [['fetched one', interrupt]],
    })
    expect(code).toBe(130)
    expect(stdout).toContain('All files are in shop; run "pnpm install" there.')
    expect(existsSync(join(cwd, 'shop/src/main.ts'))).toBe(true)
    expect(() => process.kill(Number(read('shop/pid')), 0)).toThrow('ESRCH')
  })
})

/** A fake pnpm that runs these lines of sh. */
function havePnpm(lines: string): { PATH: string } {
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'pnpm'), `#!/bin/sh\n${lines}\n`)
  chmodSync(join(bin, 'pnpm'), 0o755)
  return { PATH: `${bin}:/usr/bin:/bin` }
}
