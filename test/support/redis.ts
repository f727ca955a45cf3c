import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** A private Redis for comparisons, on loopback. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Stops it, and starts it again on its data. `immediate` kills it with -9. */
  restart(mode: 'fast' | 'immediate'): Promise<void>
  freeze(): void
  thaw(): void
  /** Stops it, and removes its data. */
  stop(): Promise<void>
}

export interface RedisOptions {
  /** Whether each write is in a synchronised log before its answer. By default snapshots. */
  appendsAlways?: boolean
  /** Whether its log only grows, so that its size tells how much was written. */
  keepsLog?: boolean
}

/** Starts Debian's Redis with its default settings, or throws with the command that installs it. */
export async function startRedis({
  appendsAlways = false,
  keepsLog = false,
}: RedisOptions = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let child = await launch()
  process.once('exit', () => child.kill('SIGKILL'))

  return {
    url,
    port,
    get pid() {
      return child.pid ?? 0
    },
    async restart(mode) {
      await end(mode === 'fast' ? 'SIGTERM' : 'SIGKILL')
      child = await launch()
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }

  async function launch(): Promise<ChildProcess> {
    const persistence = appendsAlways ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []
    const growth = keepsLog ? ['--auto-aof-rewrite-percentage', '0'] : []
    const address = ['--port', String(port), '--bind', '127.0.0.1']
    const args = [...address, '--dir', folder, ...persistence, ...growth]
    const started = spawn('redis-server', args, { stdio: 'ignore' })
    let failure: string | undefined
    started.once(
      'error',
      () => (failure = 'Redis is missing. Run: apt-get install -y redis-server'),
    )
    started.once('exit', (code) => (failure ??= `redis-server ended with ${code}`))
    await until('Redis answers', async () => {
      if (failure !== undefined) throw new Error(failure)
      return await isReady(url)
    })
    return started
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    child.kill('SIGCONT')
    child.kill(signal)
    await until('Redis has ended', () => child.exitCode !== null || child.signalCode !== null)
  }
}

/** Whether it answers and has read its data. */
async function isReady(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}
