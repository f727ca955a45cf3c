import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { protocol } from '@electric-sql/pglite'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest'
import { startProgram, type RunningProgram } from '../../../../test/support/start-program.ts'
import { createTarget, type TestTarget } from '../../../../test/support/databases.ts'
import { copyEmbedded } from '../../../../test/support/templates.ts'
import { openDatabase, type Database, type DatabaseOptions } from '../index.ts'
import { connectToHolder } from './remote-engine.ts'
import { socketFolder, socketPath } from '../lock/socket-path.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const program = new URL('../../../../test/support/use-database.ts', import.meta.url)
let folder = ''

describe('a guest of a process that has the folder open', () => {
  let app: RunningProgram

  useFolder(() => createTarget('pglite'))
  beforeAll(async () => {
    app = startProgram(program, [folder])
    await ask(app, 'select 1')
  })
  beforeEach(() => ask(app, 'drop table if exists note'))
  afterAll(() => app.stop('SIGKILL'))

  it('reads and writes the same tables', async () => {
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
    expect(statSync(join(folder, 'socket')).mode & 0o777).toBe(0o700)
    expect(statSync(socketOf(folder)).mode & 0o777).toBe(0o600)
  })

  it('leaves no session state to the app, and sees none', async () => {
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
    await ask(app, 'create table note (id int)')
    await open().query('begin')
    await ask(app, 'insert into note values (1)')
    await open().query('rollback')
    expect(await ask(app, 'select id from note')).toEqual([{ id: 1 }])
  })

  it('has an abandoned transaction rolled back, and the app continues', async () => {
    const reader = open()
    await ask(app, 'create table note (id int)')
    const leaving = reader.tx(async (tx) => {
      await tx.query('insert into note values (1)')
      expect(await ask(app, 'select id from note')).toEqual([])
      await tx.query('select 1')
    })
    await expect(leaving).rejects.toMatchObject({
      code: 'unavailable',
      // The link stands once, although two processes made the error.
      message: expect.stringMatching(/was rolled back(?!.* More: .* More: )/),
    })
    expect((await reader.query('select id from note')).rowCount).toBe(0)
  })

  it('has a transaction rolled back that exceeds its time limit', async () => {
    const going = open().tx(async (tx) => {
      for (;;) {
        await tx.query('select 1')
        await delay(20)
      }
    })
    await expect(going).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('can be killed during a transaction', async () => {
    await ask(app, 'create table note (id int)')
    const reader = startProgram(program, [folder])
    expect(await ask(reader, 'hold insert into note values (1) returning id')).toEqual([{ id: 1 }])
    reader.kill('SIGKILL')
    await reader.ended
    expect(await ask(app, 'select id from note')).toEqual([])
  })

  it('can send a partial or invalid message', async () => {
    const half = await connectRaw()
    half.write('{"id":1,"call":"send","mess')
    for (const wrong of ['select 1', 'null', '"text"', '']) {
      const socket = await connectRaw()
      socket.write(`${wrong}\n`)
      await once(socket, 'close')
    }
    const odd = await connectRaw()
    odd.write('{}\n{"id":7,"call":"send","message":7}\n')
    const lines = createInterface({ input: odd })
    let seen = ''
    lines.on('line', (text) => (seen += text))
    await expect.poll(() => seen).toContain('"id":7,"error"')
    expect(await ask(app, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await open().query('select 1 as one')).rows).toEqual([{ one: 1 }])
    const message = Buffer.from(protocol.serialize.query('select 2 as two')).toString('base64')
    half.write(`age":"${message}"}\n`)
    const [line] = (await once(createInterface({ input: half }), 'line')) as [string]
    const { id, data } = JSON.parse(line)
    const answers: object[] = []
    new protocol.Parser().parse(Buffer.from(data, 'base64'), (answer) => answers.push(answer))
    expect(id).toBe(1)
    expect(answers).toContainEqual(expect.objectContaining({ name: 'dataRow', fields: ['2'] }))
  })

  it('gets an error for a result that is too long, and continues', async () => {
    const reader = open()
    const result = reader.query(`select repeat('x', 70 * 1048576)`)
    await expect(result).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('at most 67108864'),
    })
    const values = reader.query('select $1::text', ['x'.repeat(70 * 1_048_576)])
    await expect(values).rejects.toMatchObject({ code: 'unavailable' })
    const { rows } = await reader.query<{ long: string }>(
      `select repeat('x', 40 * 1048576) as long`,
    )
    expect(rows[0]?.long).toHaveLength(40 * 1_048_576)
  })

  it('can be one of fifty at once', async () => {
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

  describe('gets the error that names the lock', () => {
    const locked = { code: 'locked', message: expect.stringContaining('is locked by process') }

    it('for a copy of the folder', async () => {
      const copy = join(folder, 'copy')
      await mkdir(join(copy, 'socket'), { recursive: true })
      await copyFile(join(folder, 'lock'), join(copy, 'lock'))
      await expect(open({ lockWaitMs: 0 }, copy).open()).rejects.toMatchObject(locked)
    })

    it.runIf(process.getuid?.() === 0)('if the process has another user', async () => {
      const socket = socketOf(folder)
      chownSync(socket, 65534, 65534)
      onTestFinished(() => chownSync(socket, 0, 0))
      await expect(open({ lockWaitMs: 0 }).open()).rejects.toMatchObject(locked)
    })
  })
})

describe('an app with guests', () => {
  useFolder(() => createTarget('pglite'))
  let app: Database
  let guest: RunningProgram

  beforeEach(async () => {
    app = open()
    await app.query('create table if not exists note (id int)')
    guest = startGuest()
    await ask(guest, 'truncate note')
  })

  it('repeats a statement that waited while a transaction of a guest ended', async () => {
    const insert = (id: number) =>
      app.query('insert into note values ($1)', [id], { isRepeated: true })
    await insert(1)
    await ask(guest, 'hold select 1')
    const inserted = insert(2)
    guest.kill()
    await inserted
    await insert(3)
    expect((await app.query('select id from note')).rows).toEqual([1, 2, 3].map((id) => ({ id })))
  })

  it('runs no statement of a guest that was killed while it waited', async () => {
    const other = startGuest()
    await ask(other, 'select 1')
    await app.tx(async (tx) => {
      await tx.query('insert into note values (1)')
      guest.send('insert into note values (2)')
      await delay(200)
      await guest.stop('SIGKILL')
      await delay(200)
    })
    // Guests get their turns in order.
    expect(await ask(other, 'select id from note')).toEqual([{ id: 1 }])
  })

  function startGuest(): RunningProgram {
    const started = startProgram(program, [folder])
    onTestFinished(() => started.kill('SIGKILL'))
    return started
  }
})

describe('guests whose holder ends', () => {
  useFolder(() => createTarget('pglite'))

  it('lose only a statement whose response is lost, and one takes over from a killed holder', async () => {
    const app = startProgram(program, [folder])
    await ask(app, 'create table note (id int)')
    const reader = open()
    const idle = startProgram(program, [folder])
    onTestFinished(() => idle.kill('SIGKILL'))
    await Promise.all([reader.open(), ask(idle, 'insert into note values (1)')])
    const stale = socketOf(folder)
    app.kill('SIGSTOP')
    const asked = reader.query('insert into note values (2)')
    const begun = reader.tx((tx) => tx.query('select id from note'))
    await delay(200)
    app.kill('SIGKILL')
    await expect(asked).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('exited or does not answer'),
    })
    // It had not run a statement yet.
    expect((await begun).rows).toEqual([{ id: 1 }])
    expect(holderOf(folder)).toBe(process.pid)
    expect(existsSync(stale)).toBe(false)
    expect(await ask(idle, 'select id from note')).toEqual([{ id: 1 }])
  })
})

describe('waiting guests', () => {
  useFolder(() => createTarget('pglite'))

  it('release the folder to an app that starts, work through it, and take over when it closes', async () => {
    const guest = open({ isGuest: true })
    const other = startProgram(program, [folder, 'guest'])
    onTestFinished(() => other.kill('SIGKILL'))
    await guest.query('create table note (id int)')
    expect(await ask(other, 'insert into note values (0) returning id')).toEqual([{ id: 0 }])
    expect(holderOf(folder)).toBe(process.pid)
    let lastId = 0
    const insert = () => guest.query('insert into note values ($1)', [(lastId += 1)])
    const inserts: Promise<unknown>[] = []
    const inserting = setInterval(() => inserts.push(insert()), 10)
    onTestFinished(() => clearInterval(inserting))
    const app = startProgram(program, [folder])
    onTestFinished(() => app.kill('SIGKILL'))
    await ask(app, 'select 1')
    expect(holderOf(folder)).toBe(app.pid)
    clearInterval(inserting)
    inserts.push(insert())
    await Promise.all(inserts)
    const count = 'select count(*) as notes, count(distinct id) as ids from note'
    const all = () => [{ notes: lastId + 1, ids: lastId + 1 }]
    expect(await ask(other, count)).toEqual(all())
    expect(await ask(app, count)).toEqual(all())

    const waiting = Array.from({ length: 200 }, insert)
    expect(await ask(app, 'close')).toBeUndefined()
    await Promise.all(waiting)
    expect(holderOf(folder)).toBe(process.pid)
    expect((await guest.query(count)).rows).toEqual(all())
  })
})

describe('a guest in a transaction', () => {
  useFolder(() => createTarget('pglite'))

  it('keeps an app that starts waiting no longer than lockWaitMs', async () => {
    const guest = startProgram(program, [folder, 'guest'])
    onTestFinished(() => guest.kill('SIGKILL'))
    await ask(guest, 'create table note (id int)')
    await ask(guest, 'hold insert into note values (1)')
    const app = open({ lockWaitMs: 1_500 })
    const startedAt = performance.now()
    await expect(app.query('select id from note')).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${guest.pid} `),
    })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    guest.kill('SIGKILL')
    await guest.ended
    expect((await app.query('select id from note')).rows).toEqual([])
  })
})

describe('a folder is not shared', () => {
  useFolder(async () => {
    const made = await mkdtemp(join(tmpdir(), 'feed-receiver-holder-'))
    return { target: { folder: made }, drop: () => rm(made, { recursive: true }) }
  })

  it.each([
    ['another version', '{"protocol":1,"token":"any"}\n'],
    ['something else', 'HTTP/1.1 400 Bad Request\r\n'],
    ['nothing', ''],
  ])('if its holder says %s', async (_what, says) => {
    const token = randomUUID()
    await mkdir(socketFolder(folder), { recursive: true })
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.write(says)
    })
    await once(server.listen(socketPath(folder, token)), 'listening')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    expect(await connectToHolder(folder, token, { isGuest: false, leaveMs: 0 })).toBeUndefined()
    expect(sockets).toHaveLength(1)
  })

  it('if its path is too long for a socket: it opens without one', async () => {
    const deep = join(folder, 'x'.repeat(100))
    await copyEmbedded(deep, 'nothing')
    const holder = open({}, deep)
    expect((await holder.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(existsSync(join(deep, 'socket'))).toBe(false)
    expect(
      await connectToHolder(deep, readLockIn(deep).token, { isGuest: false, leaveMs: 0 }),
    ).toBeUndefined()
  })
})

interface Listening {
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>
}

/** Gives the surrounding describe block one folder, which stays if one of its tests fails. */
function useFolder(make: () => Promise<TestTarget>): void {
  let drop: () => Promise<void>
  let hasFailed = false
  beforeAll(async () => {
    const made = await make()
    if (typeof made.target === 'string') throw new Error('not a folder')
    folder = made.target.folder
    drop = made.drop
  })
  afterEach(({ task }) => {
    hasFailed ||= task.result?.state === 'fail'
  })
  afterAll(async () => {
    if (!hasFailed) await drop()
  })
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

function holderOf(where: string): number {
  return readLockIn(where).pid
}

function socketOf(where: string): string {
  return join(where, 'socket', readLockIn(where).token.slice(0, 8))
}

function readLockIn(where: string): { pid: number; token: string } {
  return JSON.parse(readFileSync(join(where, 'lock'), 'utf8'))
}

/** A connection after its greeting. */
async function connectRaw(): Promise<Socket> {
  const socket = connect(socketOf(folder))
  onTestFinished(() => void socket.destroy())
  const [hello] = await once(socket, 'data')
  expect(String(hello)).toContain('"protocol":2')
  return socket
}
