import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startProgram, type RunningProgram } from '../../../../test/support/start-program.ts'
import { until } from '../../../../test/support/until.ts'
import { takeLock } from './lock.ts'
import { claimPath, readLock, replaceLock } from './lock-file.ts'
import { isAlive, ownIdentity } from './process-identity.ts'

let folder = ''
let path = ''

vi.setConfig({ testTimeout: 30_000 })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feed-receiver-lock-'))
  path = join(folder, 'lock')
  onTestFinished(() => rm(folder, { recursive: true }))
})

const foreign = {
  pid: 1,
  startedAt: '1',
  host: 'other-container',
  machine: 'another boot',
  token: 'theirs',
  since: '2026-11-21T00:00:00.000Z',
}

function take(waitMs = 0) {
  return takeLock(folder, { waitMs })
}

test('names its holder, and can be released', async () => {
  const lock = await take()
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject(ownIdentity())
  lock.assertHeld()
  lock.release()
  lock.release()
  expect(existsSync(path)).toBe(false)
  const again = await take()
  again.release()
})

test('rejects a second lock in the same process with its own message', async () => {
  const lock = await take()
  await expect(take()).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining('This process has had the embedded database'),
  })
  lock.release()
})

test('waits for a holder that releases the lock soon', async () => {
  const lock = await take()
  const next = take(5000)
  lock.release()
  const second = await next
  expect(() => second.assertHeld()).not.toThrow()
  second.release()
})

test('names another process that holds it, and what to do', async () => {
  const child = startLockTaker(0)
  await child.nextLine()
  expect(await answerTo(child, 'take')).toBe('held')
  const rejection: unknown = await take(100).catch((error: unknown) => error)
  expect(rejection).toMatchObject({ code: 'locked' })
  for (const part of [`process ${child.pid}`, ownIdentity().host, 'console', 'PostgreSQL URL']) {
    expect(rejection).toMatchObject({ message: expect.stringContaining(part) })
  }
  child.send('release')
  const lock = await take(5000)
  lock.release()
  child.kill('SIGKILL')
  await child.ended
})

test('takes over at once from a killed holder', async () => {
  const child = startLockTaker(0)
  await child.nextLine()
  expect(await answerTo(child, 'take')).toBe('held')
  child.kill('SIGKILL')
  await child.ended
  const startedAt = performance.now()
  const lock = await take()
  expect(performance.now() - startedAt).toBeLessThan(2000)
  lock.release()
})

test('takes over from a killed holder that is still a zombie', async () => {
  const me = ownIdentity()
  expect(isAlive(me)).toBe(true)
  // The child ends while sh, its parent, is stopped and cannot reap it.
  const shell = spawn('/bin/sh', ['-c', 'sleep 0.2 & echo $!; kill -STOP $$'])
  const [printed]: unknown[] = await once(shell.stdout, 'data')
  const pid = Number(String(printed))
  const holder = { ...me, pid, startedAt: startTimeOf(pid) }
  expect(isAlive(holder)).toBe(true)
  await until('it is a zombie', () => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  expect(startTimeOf(pid)).toBe(holder.startedAt)
  expect(isAlive(holder)).toBe(false)
  shell.kill('SIGKILL')
  await once(shell, 'close')
})

test('takes over at once if another process has the pid of the holder', async () => {
  await writeFile(path, JSON.stringify({ ...foreign, ...ownIdentity(), startedAt: '1' }))
  const lock = await take()
  expect(readLock(path)?.record).toMatchObject(ownIdentity())
  lock.release()
})

test('respects a lock of another host while its heartbeat continues', async () => {
  await writeFile(path, JSON.stringify(foreign))
  const toucher = setInterval(() => utimesSync(path, new Date(), new Date()), 300)
  onTestFinished(() => clearInterval(toucher))
  await expect(take(1000)).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining('process 1 on other-container, since 2026-11-21'),
  })
  expect(readLock(path)?.record?.token).toBe('theirs')
})

// The first is of another host, whose heartbeat is missing. Any other is still being written.
test('takes over a lock that nobody touches for seconds, and a broken one after two', async () => {
  const locks: [text: string, leastMs: number, mostMs: number][] = [
    [JSON.stringify(foreign), 3500, 6000],
    ...['', '{"pid":', '{"pid":"7"}', '\0'.repeat(180), '\ufeff\n'].map(
      (text): [string, number, number] => [text, 1900, 4000],
    ),
  ]
  const taking = locks.map(async ([text, leastMs, mostMs], index) => {
    const own = join(folder, String(index))
    await mkdir(own)
    await writeFile(join(own, 'lock'), text)
    const startedAt = performance.now()
    const lock = await takeLock(own, { waitMs: 0 })
    const tookMs = performance.now() - startedAt
    lock.release()
    expect(tookMs).toBeGreaterThan(leastMs)
    expect(tookMs).toBeLessThan(mostMs)
  })
  await Promise.all(taking)
})

test('rejects a file of another program, and leaves it alone', async () => {
  await writeFile(path, 'door')
  await expect(take()).rejects.toMatchObject({
    code: 'bad_folder',
    message: expect.stringContaining(`The file ${path} is no lock`),
  })
  expect(await readFile(path, 'utf8')).toBe('door')
})

test('takes over after another takeover was interrupted', async () => {
  const dead = { ...foreign, ...ownIdentity(), startedAt: '1' }
  await writeFile(path, JSON.stringify(dead))
  await writeFile(claimPath(path), JSON.stringify({ ...dead, token: 'half-way' }))
  const lock = await take()
  expect(existsSync(claimPath(path))).toBe(false)
  lock.release()
})

test('leaves the lock alone if another takeover was faster', async () => {
  const stale = { raw: 'stale', mtimeMs: 0, record: undefined }
  await writeFile(path, JSON.stringify(foreign))
  expect(replaceLock(path, stale, { ...foreign, token: 'ours' })).toBe(false)
  expect(readLock(path)?.record?.token).toBe('theirs')
  expect(existsSync(claimPath(path))).toBe(false)
})

test('rejects if the lock is replaced just after it was taken', async () => {
  const taking = take(0)
  await until('it is created', () => readLock(path)?.record)
  const toucher = setInterval(() => writeFileSync(path, JSON.stringify(foreign)), 50)
  onTestFinished(() => clearInterval(toucher))
  await expect(taking).rejects.toMatchObject({ code: 'locked' })
})

describe('a holder', () => {
  test('keeps its heartbeat going, so others see that it is alive', async () => {
    const lock = await take()
    const before = readLock(path)?.mtimeMs
    const touched = () => readLock(path)?.mtimeMs !== before
    expect(await until('the file is touched', touched, { withinMs: 3000 })).toBe(true)
    lock.release()
  })

  test('detects that its lock was replaced or removed, and leaves the file alone', async () => {
    const changes = [(lock: string) => writeFile(lock, JSON.stringify(foreign)), rm]
    const losing = changes.map(async (change, index) => {
      const own = join(folder, String(index))
      await mkdir(own)
      const lock = await takeLock(own, { waitMs: 0 })
      await change(join(own, 'lock'))
      const lost = await until('the loss is noticed', () => errorOf(() => lock.assertHeld()))
      expect(lost).toMatchObject({ code: 'lock_lost', message: expect.stringContaining('Restart') })
      const after = readLock(join(own, 'lock'))?.raw
      lock.release()
      expect(readLock(join(own, 'lock'))?.raw).toBe(after)
    })
    await Promise.all(losing)
  })
})

test('lets exactly one of eight processes take over a stale lock', async () => {
  const children = Array.from({ length: 8 }, () => startLockTaker(0))
  await Promise.all(children.map((child) => child.nextLine()))
  const stale = [
    JSON.stringify({ ...foreign, ...ownIdentity(), startedAt: '1' }),
    undefined,
    '',
    JSON.stringify({ ...foreign, ...ownIdentity(), startedAt: '2' }),
    undefined,
    JSON.stringify({ ...foreign, ...ownIdentity(), startedAt: '3' }),
  ]
  for (const content of stale) {
    if (content !== undefined) await writeFile(path, content)
    const answers = await Promise.all(children.map((child) => answerTo(child, 'take')))
    expect(answers.toSorted()).toEqual(['held', ...Array<string>(7).fill('locked')])
    const winner = children[answers.indexOf('held')]
    expect(readLock(path)?.record?.pid).toBe(winner?.pid)
    if (winner) expect(await answerTo(winner, 'release')).toBe('released')
  }
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map(({ ended }) => ended))
})

function startLockTaker(waitMs: number): RunningProgram {
  const program = new URL('../../../../test/support/take-lock.ts', import.meta.url)
  return startProgram(program, [folder, String(waitMs)])
}

async function answerTo(child: RunningProgram, line: string): Promise<string> {
  child.send(line)
  return await child.nextLine()
}

function startTimeOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[21] ?? ''
}

function errorOf(run: () => void): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}
