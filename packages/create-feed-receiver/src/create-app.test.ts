import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCreate, runMain } from '../test/run-create.ts'
import { version } from './manifest.ts'

let cwd: string
const read = (path: string) => readFileSync(join(cwd, path), 'utf8')
const make = (...args: string[]) => runMain([...args, '--no-install'], { cwd })

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-test-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

describe('a new app', () => {
  it('is created without questions if there is no terminal', async () => {
    expect(await runCreate(['--no-install'], { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(read('feed-app/package.json'))).toMatchObject({ name: 'feed-app' })
    expect(existsSync(join(cwd, 'feed-app/.git'))).toBe(true)
    expect(read('feed-app/.gitignore')).toContain('.env\n')
    expect(existsSync(join(cwd, 'feed-app/_gitignore'))).toBe(false)
  })

  it('has the name of its folder and the versions of this package', async () => {
    await make('Shop & Feed', '--no-git')
    const manifest = JSON.parse(read('Shop & Feed/package.json')) as {
      name: string
      dependencies: Record<string, string>
    }
    expect(manifest.name).toBe('shop-feed')
    expect(manifest.dependencies).toMatchObject({
      '@feed-receiver/core': `^${version()}`,
      express: '^5.3.0',
    })
    expect(read('Shop & Feed/README.md')).toMatch(/^# Shop & Feed\n/)
    expect(existsSync(join(cwd, 'Shop & Feed/.git'))).toBe(false)
  })

  it('has its own secret, readable only by its owner', async () => {
    await make('one')
    await make('two', '--database', 'postgres')
    expect(read('one/.env')).toMatch(/^FEED_SIGNING_SECRET=feed_whsec_dev_[\w-]{32}$/m)
    expect(read('one/.env')).not.toMatch(/^DATABASE_URL/m)
    expect(read('two/.env')).toMatch(/^DATABASE_URL=postgres:\/\/feed:feed@localhost:5432\/feed$/m)
    expect(secretIn(read('one/.env'))).not.toBe(secretIn(read('two/.env')))
    expect(statSync(join(cwd, 'one/.env')).mode & 0o077).toBe(0)
    expect(read('one/.env.example')).toMatch(/^FEED_SIGNING_SECRET=$/m)
  })

  it.each([
    ['npm', ['npm install', 'npm run dev          #', 'npm test', 'npm start  ']],
    [
      'pnpm',
      ['pnpm install', 'pnpm dev             #', 'pnpm test', 'pnpm start  ', 'pnpm replay`'],
    ],
    ['bun', ['bun install', 'bun run dev          #', 'bun run test', 'bun run start  ']],
  ])('has a README with the commands of %s', async (name, commands) => {
    await make('app', '--pm', name, '--no-git')
    const readme = read('app/README.md')
    for (const command of commands) expect(readme).toContain(command)
    expect(readme).toContain(name === 'pnpm' ? ' --prod --no-optional`' : ' --omit=optional`')
    const others = readme.match(/\b(?:npm|pnpm|bun) (?:install|run|dev|replay|test|start)\b/g)
    expect(others?.filter((found) => !found.startsWith(name))).toEqual([])
  })

  it('is not created in a folder that is not empty', async () => {
    mkdirSync(join(cwd, 'full'))
    writeFileSync(join(cwd, 'full/notes.txt'), 'mine')
    writeFileSync(join(cwd, 'full/package.json'), '{}')
    const rejected = await make('full', '--yes')
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('--overwrite') })
    expect(readdirSync(join(cwd, 'full'))).toEqual(['notes.txt', 'package.json'])

    const mine = 'FEED_SIGNING_SECRET=feed_whsec_mine\nDATABASE_URL=\n'
    writeFileSync(join(cwd, 'full/.env'), mine)
    const made = await make('full', '--overwrite', '--database', 'postgres')
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('\nOverwrote package.json.\n'),
    })
    expect(read('full/.env')).toBe(
      'FEED_SIGNING_SECRET=feed_whsec_mine\nDATABASE_URL=postgres://feed:feed@localhost:5432/feed\n',
    )
    expect(read('full/notes.txt')).toBe('mine')
    expect(JSON.parse(read('full/package.json'))).toMatchObject({ name: 'full' })
  })

  it('preserves an existing .gitignore', async () => {
    mkdirSync(join(cwd, 'mine'))
    writeFileSync(join(cwd, 'mine/.gitignore'), 'letters/\n.env')
    await make('mine', '--overwrite', '--no-git')
    expect(read('mine/.gitignore')).toBe('letters/\n.env\nnode_modules/\ndist/\n.feed-receiver/\n')
  })

  it('prints its URL, and advice on an invalid existing secret', async () => {
    mkdirSync(join(cwd, 'there'))
    writeFileSync(join(cwd, 'there/.env'), 'PORT=4321\nFEED_SIGNING_SECRET=changeme\n')
    const { stdout } = await make('there', '--overwrite', '--no-git')
    expect(stdout).toContain('Start the app on http://localhost:4321 ')
    expect(stdout).toContain('FEED_SIGNING_SECRET in .env is not a signing secret')
    const { stdout: other } = await make('other', '--no-git')
    expect(other).toContain('Start the app on http://localhost:3000 ')
    expect(other).not.toContain('is not a signing secret')
  })

  it.each([
    [['shop'], 'cd shop && npm install && npm run dev'],
    [['.', '--pm', 'pnpm'], 'pnpm install && pnpm dev'],
    [
      ['Shop & Feed', '--database', 'postgres'],
      'cd "Shop & Feed" && npm install && docker compose up --detach --wait database && npm run dev',
    ],
  ])('prints the one command that starts %j', async (args, command) => {
    const { stdout } = await make(...args, '--no-git')
    expect(stdout.split('\n').slice(-4, -1)).toEqual([
      expect.stringMatching(/^Start .*the app on http:/),
      `  ${command}`,
      expect.stringContaining('README.md describes the rest.'),
    ])
  })

  it('rejects a file as the folder', async () => {
    writeFileSync(join(cwd, 'taken'), '')
    expect(await make('taken', '--overwrite')).toMatchObject({
      code: 1,
      stderr: 'taken is a file, not a folder. Choose another folder.\n',
    })
  })

  it('can be created in the current folder', async () => {
    expect(await make('.', '--no-git')).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, 'src/app.ts'))).toBe(true)
  })

  it('lists its files with --dry-run', async () => {
    const { stdout } = await make('planned', '--dry-run')
    expect(stdout).toContain('  src/handlers.ts\n')
    expect(existsSync(join(cwd, 'planned'))).toBe(false)
  })

  it('undoes everything if a file cannot be written', async () => {
    mkdirSync(join(cwd, 'half/README.md'), { recursive: true })
    writeFileSync(join(cwd, 'half/package.json'), '{ "mine": true }')
    const failed = await make('half', '--overwrite')
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^README.md cannot be written .* No files were changed\.\n$/),
    })
    expect(readdirSync(join(cwd, 'half'))).toEqual(['README.md', 'package.json'])
    expect(read('half/package.json')).toBe('{ "mine": true }')
  })

  it('is complete if its package manager fails or is missing', async () => {
    const bin = join(cwd, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'pnpm'), '#!/bin/sh\nexit 3\n')
    chmodSync(join(bin, 'pnpm'), 0o755)
    const env = { PATH: bin, npm_config_user_agent: 'pnpm/10.0.0 npm/? node/v20.20.2' }
    expect(await runCreate(['failed', '--no-git'], { cwd, env })).toMatchObject({
      code: 1,
      stderr:
        'pnpm failed, so the packages are not installed. All files are in failed; run "pnpm install" there.\n',
    })
    const lacking = await runCreate(['lacking', '--pm', 'yarn', '--no-git'], { cwd, env })
    expect(lacking.stderr).toContain('yarn was not found, so the packages are not installed.')
    expect(existsSync(join(cwd, 'lacking/src/main.ts'))).toBe(true)
  })

  it('is complete if Ctrl-C ends the installation', async () => {
    const bin = join(cwd, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'pnpm'), '#!/bin/sh\nexec /bin/sleep 60\n')
    chmodSync(join(bin, 'pnpm'), 0o755)
    const args = ['stopped', '--pm', 'pnpm', '--no-git']
    const env = { PATH: bin }
    expect(await runCreate(args, { cwd, env, interruptedAt: 'Installing' })).toMatchObject({
      code: 130,
      stderr:
        'Interrupted before all packages were installed. ' +
        'All files are in stopped; run "pnpm install" there.\n',
    })
    expect(existsSync(join(cwd, 'stopped/src/main.ts'))).toBe(true)
  })
})

describe('the command', () => {
  it.each([
    [
      ['--template', 'rails'],
      '--template must be one of express, koa, fastify, next, hono, nest, sveltekit, nuxt, but it is rails.',
    ],
    [['--template', 'nuxt'], 'There is no template for nuxt'],
    [['--pm', 'cargo'], '--pm must be one of npm, pnpm, yarn, bun, but it is cargo.'],
    [['one', 'two'], 'Pass one folder, not 2: "one", "two".'],
    [['one', '--into', '.'], '--into already names the folder'],
    [['--into', '.', '--database', 'postgres'], '--database is only for a new app'],
    [['--into', '.', '--overwrite'], '--overwrite is only for a new app'],
    [['--colour'], "Unknown option '--colour'"],
  ])('rejects %j', async (args, why) => {
    expect(await make(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
    expect(readdirSync(cwd)).toEqual([])
  })

  it('reports the required version of Node before it loads anything', async () => {
    const pretend = 'Object.defineProperty(process.versions, "node", { value: "20.18.3" })'
    const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
    expect(await runCreate(['old'], { cwd, nodeOptions })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'This command needs Node 20.19 or newer, but this is Node 20.18.3. Upgrade Node and try again.\n',
    })
    expect(existsSync(join(cwd, 'old'))).toBe(false)
  })

  it('prints help and its version', async () => {
    expect((await make('--help')).stdout).toContain('--into <folder>')
    expect((await make('--version')).stdout).toBe(`${version()}\n`)
  })
})

function secretIn(text: string): string | undefined {
  return /^FEED_SIGNING_SECRET=(.+)$/m.exec(text)?.[1]
}
