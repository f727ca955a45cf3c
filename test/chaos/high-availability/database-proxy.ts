import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../../support/built-program.ts'
import { runSql } from '../../support/postgres.ts'
import { startCommand } from '../../support/start-program.ts'
import { until } from '../../support/until.ts'

/** A Debian program in front of PostgreSQL. */
export interface DatabaseProxy {
  port: number
  stop(): Promise<void>
}

interface DatabaseProxyOptions {
  command: 'haproxy' | 'pgbouncer'
  args: string[]
  /** Its config file, as its last argument. */
  config: string
  /** The port on which it listens. */
  port: number
}

/** Starts it, and waits until a server behind it responds. */
export async function startDatabaseProxy({
  command,
  args,
  config,
  port,
}: DatabaseProxyOptions): Promise<DatabaseProxy> {
  const folder = await mkdtemp(join(tmpdir(), `feed-receiver-${command}-`))
  const file = join(folder, 'config')
  await writeFile(file, config)
  // PgBouncer does not run as root, so another user needs access to its file.
  await chmod(folder, 0o755)
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const proxy = startCommand(command, [...args, file], user)
  let hasEnded = false
  void proxy.ended.then(() => (hasEnded = true))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await until(`PostgreSQL answers through ${command}`, async () => {
    if (proxy.pid === 0) throw new Error(`It is missing. Run: apt-get install -y ${command}`)
    if (hasEnded) throw new Error(`${command} ended:\n${proxy.printed}`)
    return await runSql(url, 'select 1').then(
      () => true,
      () => false,
    )
  })
  return {
    port,
    async stop() {
      await proxy.stop('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A file of our example with other values. */
export async function readExample(
  name: string,
  values: readonly (readonly [given: string | RegExp, instead: string])[],
): Promise<string> {
  let text = await readFile(join(repository, 'examples/high-availability', name), 'utf8')
  for (const [given, instead] of values) {
    const changed = text.replace(given, instead)
    if (changed === text) throw new Error(`${name} of the example has no ${String(given)}`)
    text = changed
  }
  return text
}
