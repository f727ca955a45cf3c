import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { haveApp } from '../test/have-app.ts'
import { runMain } from '../test/run-create.ts'
import { findDatabase, withDatabase } from './find-database.ts'

const url = 'postgres://shop:hunter22@db.example/shop'
const express = { dependencies: { express: '^5.0.0' } }
const reads = (...names: string[]) => ({
  'app.js': names.map((name) => `connect(process.env.${name})\n`).join(''),
})

describe('the database of an existing app', () => {
  it.each<[title: string, files: Record<string, string>, name: string]>([
    ['that sets nothing', {}, 'DATABASE_URL'],
    [
      'that sets DATABASE_URL as well',
      { '.env': `POSTGRES_URL=${url}\nDATABASE_URL=${url}\n` },
      'DATABASE_URL',
    ],
    [
      'that has DATABASE_URL only in its example',
      { '.env': `POSTGRES_URL=${url}\n`, '.env.example': `DATABASE_URL=${url}\n` },
      'POSTGRES_URL',
    ],
    [
      'whose comment names one',
      { 'app.js': '// PGHOST and POSTGRES_URL are old\n' },
      'DATABASE_URL',
    ],
    ['of SQLite, without a scheme', { '.env': 'DATABASE_URL=./dev.db\n' }, 'FEED_DATABASE_URL'],
    [
      'on MySQL by its schema',
      { 'prisma/schema.prisma': 'provider = "mysql"\nurl = env("DATABASE_URL")\n' },
      'FEED_DATABASE_URL',
    ],
    ['on Vercel', { '.env.local': `POSTGRES_URL="${url}"\n` }, 'POSTGRES_URL'],
    [
      'on Vercel, with Prisma',
      {
        '.env': `POSTGRES_URL=${url}\nPOSTGRES_PRISMA_URL=${url}?pgbouncer=true\n`,
        'prisma/schema.prisma': 'url = env("POSTGRES_PRISMA_URL")',
      },
      'POSTGRES_PRISMA_URL',
    ],
    ['on Railway', { '.env': 'DATABASE_PRIVATE_URL=postgresql://a/b\n' }, 'DATABASE_PRIVATE_URL'],
    [
      'on Heroku, attached twice',
      { '.env': `HEROKU_POSTGRESQL_AMBER_URL=${url}\n` },
      'HEROKU_POSTGRESQL_AMBER_URL',
    ],
    [
      'with an example',
      { '.env': 'PORT=80\n', '.env.example': `export PG_URL=${url}\n` },
      'PG_URL',
    ],
    [
      'with several names, of which its code reads one',
      { '.env': `POSTGRES_URL=${url}\nPG_URL=${url}\n`, ...reads('PG_URL') },
      'PG_URL',
    ],
    [
      'whose code reads DATABASE_URL, too, which no file sets',
      { '.env': `POSTGRES_URL=${url}\n`, ...reads('DATABASE_URL', 'POSTGRES_URL') },
      'POSTGRES_URL',
    ],
    ['that only its code names', reads('POSTGRES_URL'), 'POSTGRES_URL'],
    ['that its code names as usual', reads('POSTGRES_URL', 'DATABASE_URL'), 'DATABASE_URL'],
    ['that its code names in tests alone', reads('TEST_POSTGRES_URL'), 'DATABASE_URL'],
    ['with a name of unknown meaning in code', reads('DATABASE_PUBLIC_URL'), 'DATABASE_URL'],
    ['of MySQL', { '.env': 'POSTGRES_URL=mysql://db/shop\n' }, 'DATABASE_URL'],
    ['with the variables of libpq', { '.env': 'PGHOST=db\nPGUSER=shop\n' }, 'PGHOST'],
    [
      'of MySQL beside one of PostgreSQL',
      { '.env': `DATABASE_URL=mysql://db/shop\nPOSTGRES_URL=${url}\n` },
      'POSTGRES_URL',
    ],
    ['of SQLite', { '.env': 'DATABASE_URL="file:./dev.db"\n' }, 'FEED_DATABASE_URL'],
    ['in a folder', { '.env': 'DATABASE_URL=file:.feed-receiver/database\n' }, 'DATABASE_URL'],
    [
      'whose example is of SQLite',
      { '.env': `DATABASE_URL=${url}\n`, '.env.example': 'DATABASE_URL=file:./dev.db\n' },
      'DATABASE_URL',
    ],
  ])('is found in an app %s', (_, files, name) => {
    expect(findDatabase(haveApp(express, files)).name).toBe(name)
  })

  it('is read by the route, and named in one line without its value', async () => {
    const cwd = haveApp(express, { 'app.js': 'express()', '.env': `POSTGRES_URL=${url}\n` })
    const { code, stdout, stderr } = await runMain(['--into', '.', '--no-install'], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('\n  database: POSTGRES_URL, as in .env\n')
    expect(stdout).not.toContain('hunter22')
    const route = readFileSync(join(cwd, 'feed-route.js'), 'utf8')
    expect(route).toContain('const { POSTGRES_URL: url } = env\n')
    expect(route).not.toMatch(/DATABASE_URL|hunter22/)
  })

  it.each([
    [reads('POSTGRES_URL'), 'database: POSTGRES_URL, as in your code'],
    [
      { '.env': 'DATABASE_URL=mysql://db/shop\n' },
      'database: FEED_DATABASE_URL, because DATABASE_URL is not of PostgreSQL',
    ],
  ])('says where the name comes from: %j', async (files, line) => {
    const cwd = haveApp(express, files)
    const { stdout } = await runMain(['--into', '.', '--dry-run'], { cwd })
    expect(stdout).toContain(`\n  ${line}\n`)
  })

  it('is named in the example of the app', async () => {
    const cwd = haveApp(express, {
      '.env': 'DATABASE_URL=mysql://db/shop\n',
      '.env.example': 'DATABASE_URL=\n',
    })
    const { stdout } = await runMain(['--into', '.', '--no-install'], { cwd })
    expect(stdout).toContain('\n  .env.example: FEED_SIGNING_SECRET and FEED_DATABASE_URL\n')
    const example = readFileSync(join(cwd, '.env.example'), 'utf8')
    expect(example).toBe('DATABASE_URL=\nFEED_SIGNING_SECRET=\nFEED_DATABASE_URL=\n')
  })

  it('changes no comment in the example of the app', async () => {
    const comment = '# POSTGRES_URL=postgres://user@host/db\n'
    const cwd = haveApp(express, { '.env': `POSTGRES_URL=${url}\n`, '.env.example': comment })
    await runMain(['--into', '.', '--no-install'], { cwd })
    const example = readFileSync(join(cwd, '.env.example'), 'utf8')
    expect(example).toBe(`${comment}FEED_SIGNING_SECRET=\nPOSTGRES_URL=\n`)
  })

  it('is not mentioned if it is the default', async () => {
    const cwd = haveApp(express, { '.env': `DATABASE_URL=${url}\n` })
    const { stdout } = await runMain(['--into', '.', '--dry-run'], { cwd })
    expect(stdout).not.toContain('database:')
  })

  it.each([
    ['express', true],
    ['next', false],
  ])('has advice if only .env.local names it: %s', async (framework, isAdvised) => {
    const manifest = { dependencies: { [framework]: '*' } }
    const cwd = haveApp(manifest, { '.env.local': `POSTGRES_URL=${url}\n`, 'app/page.js': '' })
    const { stdout } = await runMain(['--into', '.', '--no-install'], { cwd })
    expect(stdout.includes('Set POSTGRES_URL in .env too')).toBe(isAdvised)
  })
})

it.each([
  'express/feed-route.ts',
  'hono/feed-route.cjs',
  'nest-fastify/feed-route.js',
  'next/feed-receiver.ts',
  'sveltekit/feed-receiver.js',
  'nuxt/feed-receiver.ts',
])('the route leaves out what the variables of libpq say: %s', (path) => {
  const template = readFileSync(new URL(`../templates/into/${path}`, import.meta.url), 'utf8')
  const text = withDatabase(template, { name: 'PGHOST', reason: undefined, isOnlyLocal: false })
  expect(text).toContain('const { PGHOST } = env\n')
  expect(text).toContain("createInbox({ ...(PGHOST && { database: 'postgres://' }) })\n")
  expect(text).not.toMatch(/DATABASE_URL|\burl\b/)
})
