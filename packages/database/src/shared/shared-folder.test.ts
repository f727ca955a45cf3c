import { once } from 'node:events'
import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { cp, mkdir, rename, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startProgram, type RunningProgram } from '../../../../test/support/start-program.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { until } from '../../../../test/support/until.ts'
import { openDatabase, type Database, type DatabaseOptions } from '../index.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const program = new URL('../../../../test/support/use-database.ts', import.meta.url)
const lockTaker = new URL('../../../../test/support/take-lock.ts', import.meta.url)
let folder = ''
let drop: () => Promise<void>

beforeEach(async () => {
  const made = await createTarget('pglite')
  if (typeof made.target === 'string') throw new Error('not a folder')
  folder = made.target.folder
  drop = made.drop
})

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') await drop()
})

describe('a guest of a process that has the folder open', () => {
  it('reads and writes the same tables', async () => {
    const app = await startApp()
    const reader = open()
    await ask(app, 'create table note (id int)')
    expect(await reader.query('insert into note values (1), (2)')).toMatchObject({ rowCount: 2 })
    await reader.tx(async (tx) => {
      await tx.query('delete from note where id = $1', [1])
    })
    expect(await ask(app, 'select id from note')).toEqual([{ id: 2 }])
    await expect(reader.query('select * from missing')).rejects.toMatchObject({
      code: '42P01',
      severity: 'ERROR',
      message: 'relation "missing" does not exist',
    })
  })

  it('connects through a socket that only this user can access', async () => {
    await startApp()
    expect(statSync(join(folder, 'socket')).mode & 0o777).toBe(0o700)
    expect(statSync(socketOf(folder)).mode & 0o777).toBe(0o600)
  })

  it('leaves no session state to the app, and sees none', async () => {
    const app = await startApp()
    const readers = [open(), open()]
    for (const reader of readers) {
      await reader.query("set work_mem to '77MB'")
      await reader.query("select set_config('search_path', 'elsewhere', false)")
      await reader.query('prepare named as select 1')
      await reader.query('create temp table own (id int)')
      await reader.query('select pg_advisory_lock(1)')
      await reader.query('listen news')
      await reader.query('declare pages cursor with hold for select 1')
    }
    const seen = `select current_setting('work_mem') as memory, current_setting('search_path') as path,
      to_regclass('own') as own, (select count(*) from pg_locks where locktype = 'advisory') as locks,
      (select count(*) from pg_listening_channels()) as channels,
      (select count(*) from pg_prepared_statements where name = 'named') as named,
      (select count(*) from pg_cursors where name = 'pages') as pages`
    const none = { memory: '4MB', path: 'public', own: null, locks: 0, channels: 0, named: 0 }
    expect(await ask(app, seen.replaceAll('\n', ' '))).toEqual([{ ...none, pages: 0 }])
    expect((await readers[0]?.query(seen))?.rows).toEqual([{ ...none, pages: 0 }])
  })

  it('receives notifications even if sessions are reset in between', async () => {
    const app = await startApp()
    const [reader, other] = [open(), open()]
    const notified: string[] = []
    const { db } = reader.bossOptions() as { db: Listening }
    const { close } = await db.listen('news', (payload) => notified.push(payload), vi.fn())
    await other.query('select 1')
    await ask(app, "select pg_notify('news', 'first')")
    await expect.poll(() => notified).toEqual(['first'])
    await close()
    await ask(app, "select pg_notify('news', 'second')")
    await reader.query('select 1')
    expect(notified).toEqual(['first'])
  })

  it('cannot leave a transaction to the app with a statement', async () => {
    const app = await startApp()
    await ask(app, 'create table note (id int)')
    await open().query('begin')
    await ask(app, 'insert into note values (1)')
    await open().query('rollback')
    expect(await ask(app, 'select id from note')).toEqual([{ id: 1 }])
  })

  it('has an abandoned transaction rolled back, and the app continues', async () => {
    const app = await startApp()
    const reader = open()
    await ask(app, 'create table note (id int)')
    const leaving = reader.tx(async (tx) => {
      await tx.query('insert into note values (1)')
      expect(await ask(app, 'select id from note')).toEqual([])
      await tx.query('select 1')
    })
    await expect(leaving).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('was rolled back'),
    })
    expect((await reader.query('select id from note')).rowCount).toBe(0)
  })

  it('has a transaction rolled back that exceeds its time limit', async () => {
    await startApp()
    const going = open().tx(async (tx) => {
      for (;;) {
        await tx.query('select 1')
        await delay(20)
      }
    })
    await expect(going).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('can be killed during a transaction', async () => {
    const app = await startApp()
    await ask(app, 'create table note (id int)')
    const reader = startProgram(program, [folder])
    expect(await ask(reader, 'hold insert into note values (1) returning id')).toEqual([{ id: 1 }])
    reader.kill('SIGKILL')
    await reader.ended
    expect(await ask(app, 'select id from note')).toEqual([])
  })

  it('can send a partial or invalid message', async () => {
    const app = await startApp()
    const half = await connectRaw()
    half.write('{"id":1,"call":"run","te')
    for (const wrong of ['select 1', 'null', '"text"', '']) {
      const socket = await connectRaw()
      socket.write(`${wrong}\n`)
      await once(socket, 'close')
    }
    const odd = await connectRaw()
    odd.write('{}\n{"id":7,"call":"run","values":7}\n')
    const lines = createInterface({ input: odd })
    let seen = ''
    lines.on('line', (text) => (seen += text))
    await expect.poll(() => seen).toContain('"id":7,"error"')
    expect(await ask(app, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await open().query('select 1 as one')).rows).toEqual([{ one: 1 }])
    half.write('xt":"select 2 as two"}\n')
    const [line] = (await once(createInterface({ input: half }), 'line')) as [string]
    expect(JSON.parse(line)).toMatchObject({ id: 1, results: [{ rows: [['2']] }] })
  })

  it('can be one of fifty at once', async () => {
    const app = await startApp()
    await ask(app, 'create table note (reader int, n int)')
    const readers = Array.from({ length: 50 }, () => open())
    const working = readers.map(async (reader, index) => {
      await reader.query('insert into note values ($1, 1)', [index])
      await reader.tx(async (tx) => {
        await tx.query('insert into note values ($1, 2)', [index])
        await tx.query('insert into note values ($1, 3)', [index])
      })
    })
    const answers = [ask(app, 'select 1 as one'), ...working]
    await Promise.all(answers)
    expect(await ask(app, 'select count(*) as notes from note')).toEqual([{ notes: 150 }])
  })
})

describe('when the process that has the folder open ends', () => {
  it('a guest takes over from a killed holder, and removes its sockets', async () => {
    const app = await startApp()
    const reader = open()
    await reader.query('create table note (id int)')
    app.kill('SIGKILL')
    await app.ended
    const stale = socketOf(folder)
    await until('the connection is lost', async () => {
      const answer: unknown = await reader.query('select id from note').catch((error) => error)
      if (answer instanceof Error) expect(answer).toMatchObject({ code: 'unavailable' })
      return !(answer instanceof Error)
    })
    expect(existsSync(stale)).toBe(false)
    // It accepts guests, like every holder.
    const next = startProgram(program, [folder])
    onTestFinished(() => next.kill('SIGKILL'))
    expect(await ask(next, 'select id from note')).toEqual([])
  })

  it('a guest reports unavailable if the response to a statement is lost', async () => {
    const app = await startApp()
    const reader = open()
    await reader.open()
    app.kill('SIGSTOP')
    const asked = reader.query('select 1')
    const begun = reader.tx((tx) => tx.query<{ one: number }>('select 1 as one'))
    await delay(200)
    app.kill('SIGKILL')
    await expect(asked).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('exited or does not answer'),
    })
    // It has not run a statement yet.
    expect((await begun).rows).toEqual([{ one: 1 }])
  })

  it('a guest loses no call if the holder closes the database', async () => {
    const app = await startApp()
    const reader = open()
    await reader.query('create table note (id int)')
    const inserts = Array.from({ length: 200 }, (_, id) =>
      reader.query('insert into note values ($1)', [id]),
    )
    expect(await ask(app, 'close')).toBeUndefined()
    await Promise.all(inserts)
    const { rows } = await reader.query(
      'select count(*) as all, count(distinct id) as ids from note',
    )
    expect(rows).toEqual([{ all: 200, ids: 200 }])
  })

  it('a guest works through the next process that opens the folder', async () => {
    const app = await startApp()
    const reader = open()
    await reader.query('create table note (id int)')
    app.send('exit')
    await app.ended
    expect(readdirSync(folder).toSorted()).toEqual(['data'])
    const next = await startApp()
    await until('it is connected', () => reader.query('select 1').catch(() => undefined))
    expect(await ask(next, 'insert into note values (1) returning id')).toEqual([{ id: 1 }])
    expect((await reader.query('select id from note')).rows).toEqual([{ id: 1 }])
  })
})

describe('a waiting guest', () => {
  it('releases the folder to an app that starts, and continues through it', async () => {
    const guest = open({ isGuest: true })
    const other = startProgram(program, [folder, 'guest'])
    onTestFinished(() => other.kill('SIGKILL'))
    await guest.query('create table note (id int)')
    expect(await ask(other, 'insert into note values (0) returning id')).toEqual([{ id: 0 }])
    expect(holderOf(folder)).toBe(process.pid)
    const inserts = Array.from({ length: 100 }, async (_, n) => {
      await delay(n * 10)
      await guest.query('insert into note values ($1)', [n + 1])
    })
    const app = await startApp()
    expect(holderOf(folder)).toBe(app.pid)
    await Promise.all(inserts)
    expect(await ask(other, 'select count(distinct id) as ids from note')).toEqual([{ ids: 101 }])
    expect(await ask(app, 'select count(*) as notes from note')).toEqual([{ notes: 101 }])
  })
})

describe('the error that names the lock', () => {
  const locked = { code: 'locked', message: expect.stringContaining('is locked by process') }

  it('is thrown for a copy of a folder in use', async () => {
    await startApp()
    const copy = `${folder}-copy`
    await cp(folder, copy, { recursive: true, filter: (path) => path !== socketOf(folder) })
    await expect(open({ lockWaitMs: 0 }, copy).open()).rejects.toMatchObject(locked)
  })

  it('is thrown if the folder path is too long for a socket', async () => {
    const deep = join(folder, 'x'.repeat(100))
    await mkdir(deep)
    await rename(join(folder, 'data'), join(deep, 'data'))
    const app = await startApp(deep)
    expect(existsSync(join(deep, 'socket'))).toBe(false)
    await expect(open({ lockWaitMs: 0 }, deep).open()).rejects.toMatchObject(locked)
    expect(await ask(app, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it.each([
    ['another version', '{"protocol":2,"token":"any"}\n'],
    ['something else', 'HTTP/1.1 400 Bad Request\r\n'],
    ['nothing', ''],
  ])('is thrown if the holder says %s', async (_what, says) => {
    const token = await holdLock()
    await mkdir(join(folder, 'socket'))
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.write(says)
    })
    await once(server.listen(join(folder, 'socket', token.slice(0, 8))), 'listening')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    await expect(open({ lockWaitMs: 0 }).open()).rejects.toMatchObject(locked)
    expect(sockets).toHaveLength(1)
  })

  it.runIf(process.getuid?.() === 0)('is thrown if the holder is another user', async () => {
    await startApp()
    chownSync(socketOf(folder), 65534, 65534)
    await expect(open({ lockWaitMs: 0 }).open()).rejects.toMatchObject(locked)
  })

  it('is not thrown if another process has the pid of the holder', async () => {
    const app = await startApp()
    app.kill('SIGKILL')
    await app.ended
    const lock: object = JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))
    const reused = { ...lock, pid: process.ppid, startedAt: '1' }
    await writeFile(join(folder, 'lock'), JSON.stringify(reused))
    const stale = socketOf(folder)
    expect((await open({ lockWaitMs: 0 }).query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(existsSync(stale)).toBe(false)
  })
})

interface Listening {
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>
}

async function startApp(where = folder): Promise<RunningProgram> {
  const app = startProgram(program, [where])
  onTestFinished(() => app.kill('SIGKILL'))
  await ask(app, 'select 1')
  return app
}

function open(options?: DatabaseOptions, where = folder): Database {
  const database = openDatabase({ folder: where }, options)
  onTestFinished(() => database.close())
  return database
}

async function ask(child: RunningProgram, line: string): Promise<unknown> {
  child.send(line)
  const answer = await child.nextLine()
  return answer === 'undefined' ? undefined : JSON.parse(answer)
}

async function holdLock(): Promise<string> {
  const holder = startProgram(lockTaker, [folder, '0'])
  onTestFinished(() => holder.kill('SIGKILL'))
  await holder.nextLine()
  holder.send('take')
  expect(await holder.nextLine()).toBe('held')
  const { token }: { token: string } = JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))
  return token
}

function holderOf(where: string): number {
  const { pid }: { pid: number } = JSON.parse(readFileSync(join(where, 'lock'), 'utf8'))
  return pid
}

function socketOf(where: string): string {
  const { token }: { token: string } = JSON.parse(readFileSync(join(where, 'lock'), 'utf8'))
  return join(where, 'socket', token.slice(0, 8))
}

/** A connection after its greeting. */
async function connectRaw(): Promise<Socket> {
  const socket = connect(socketOf(folder))
  onTestFinished(() => void socket.destroy())
  const [hello] = await once(socket, 'data')
  expect(String(hello)).toContain('"protocol":1')
  return socket
}
