import { existsSync, readdirSync, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { builtProgram } from '../../../../test/support/built-program.ts'
import { startProgram, type RunningProgram } from '../../../../test/support/start-program.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { until } from '../../../../test/support/until.ts'
import { openDatabase } from '../index.ts'

const program = new URL('../../../../test/support/use-database.ts', import.meta.url)
let folder = ''
let drop: () => Promise<void>

beforeEach(async () => {
  const made = await createTarget('pglite')
  if (typeof made.target === 'string') throw new Error('not a folder')
  folder = made.target.folder
  drop = made.drop
}, 60_000)

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') await drop()
})

describe('the embedded folder', { timeout: 30_000 }, () => {
  test('rejects a second process without sharing until the first has closed it', async () => {
    const child = startProgram(program, [folder])
    await answerTo(child, 'select 1')
    const rejected = openDatabase({ folder }, { lockWaitMs: 0, isShared: false })
    await expect(rejected.query('select 1')).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${child.pid}`),
    })
    child.send('exit')
    await child.ended
    expect(readdirSync(folder)).toEqual(['data'])
    // The same Database can retry after it was rejected.
    expect((await rejected.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await rejected.close()
  })

  test('waits during a reload in one process until the previous database has closed', async () => {
    const before = openDatabase({ folder })
    await before.query('create table reloaded (id int)')
    const after = openDatabase({ folder })
    const [, { rowCount }] = await Promise.all([
      before.close(),
      after.query('select from reloaded'),
    ])
    expect(rowCount).toBe(0)
    await after.close()
  })

  test('commits no tx that is open when it loses its lock, and rejects every call after that', async () => {
    const database = openDatabase({ folder })
    const losing = database.tx(async (tx) => {
      await tx.query('create table lost (id int)')
      await writeFile(join(folder, 'lock'), 'somebody else')
      // The holder checks once a second.
      await until('a second has passed', secondsFrom(performance.now(), 1.1))
    })
    await expect(losing).rejects.toMatchObject({ code: 'lock_lost' })
    await expect(database.query('select 1')).rejects.toMatchObject({ code: 'lock_lost' })
    await expect(database.tx((tx) => tx.query('select 1'))).rejects.toMatchObject({
      code: 'lock_lost',
    })
    await database.close()
    expect(existsSync(join(folder, 'lock'))).toBe(true)
  })

  test('rejects a folder of another PGlite version, and releases the lock', async () => {
    await writeFile(join(folder, 'data/PG_VERSION'), '17\n')
    const database = openDatabase({ folder })
    await expect(database.open()).rejects.toMatchObject({
      code: 'bad_folder',
      message: expect.stringContaining('PG_VERSION: 17'),
    })
    expect(existsSync(join(folder, 'lock'))).toBe(false)
    await database.close()
  })

  test('leaves a folder `socket` of the app alone, and works without sharing', async () => {
    const code = join(folder, 'socket/chat.ts')
    await mkdir(dirname(code), { mode: 0o755 })
    await writeFile(code, 'export {}')
    const database = openDatabase({ folder })
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(readdirSync(dirname(code))).toEqual(['chat.ts'])
    await database.close()
    expect(existsSync(code)).toBe(true)
    expect(statSync(dirname(code)).mode & 0o777).toBe(0o755)
  })

  test('writes nothing into a folder whose `data` is no database', async () => {
    const project = await mkdtemp(join(tmpdir(), 'feed-receiver-project-'))
    onTestFinished(() => rm(project, { recursive: true }))
    for (const path of ['data/rows.csv', 'socket/chat.ts', 'lock/door.ts']) {
      await mkdir(join(project, dirname(path)))
      await writeFile(join(project, path), '')
    }
    const files = readdirSync(project, { recursive: true })
    const database = openDatabase({ folder: project })
    await expect(database.open()).rejects.toMatchObject({
      code: 'bad_folder',
      message: expect.stringContaining('no file PG_VERSION'),
    })
    expect(readdirSync(project, { recursive: true })).toEqual(files)
    await database.close()
  })

  test('creates its data in an empty `data`', async () => {
    await rm(join(folder, 'data'), { recursive: true })
    await mkdir(join(folder, 'data'))
    const database = openDatabase({ folder })
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await database.close()
    expect(readdirSync(join(folder, 'data'))).toContain('PG_VERSION')
  })

  test('says why it cannot be created', async () => {
    await writeFile(join(folder, 'file'), '')
    const database = openDatabase({ folder: join(folder, 'file/below') })
    await expect(database.open()).rejects.toMatchObject({
      code: 'bad_folder',
      message: expect.stringContaining('ENOTDIR'),
    })
    await database.close()
  })
})

test('names the command that installs PGlite if it is missing', { timeout: 30_000 }, async () => {
  const app = await mkdtemp(join(tmpdir(), 'feed-receiver-app-'))
  onTestFinished(() => rm(app, { recursive: true }))
  // A copy of the package in a place where only its dependencies are found.
  const built = dirname(builtProgram(new URL('../index.ts', import.meta.url)))
  await cp(built, join(app, 'dist'), { recursive: true })
  await mkdir(join(app, 'node_modules/@feed-receiver'), { recursive: true })
  for (const name of ['@feed-receiver/core', 'pg', 'postgres-array']) {
    const installed = new URL(`../../../../node_modules/${name}`, import.meta.url)
    await symlink(fileURLToPath(installed), join(app, 'node_modules', name))
  }
  await writeFile(join(app, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(app, 'main.js'),
    `import { openDatabase } from './dist/index.js'
     const error = await openDatabase({ folder: 'data' }).open().catch((reason) => reason)
     console.log(JSON.stringify({ code: error.code, message: error.message }))`,
  )
  const child = startProgram(join(app, 'main.js'), [], { cwd: app })
  expect(JSON.parse(await child.nextLine())).toMatchObject({
    code: 'pglite_missing',
    message: expect.stringContaining('npm install @electric-sql/pglite@~0.5.16'),
  })
  expect(await child.ended).toBe(0)
})

async function answerTo(child: RunningProgram, line: string): Promise<unknown> {
  child.send(line)
  return JSON.parse(await child.nextLine())
}

function secondsFrom(start: number, seconds: number): () => boolean {
  return () => performance.now() - start > seconds * 1000
}
