import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { root } from '../../repo/check/workspaces.ts'

export interface Running {
  url: string
  stop(): Promise<void>
}

export interface WorkerdOptions {
  /** Its compatibility date, which determines the available modules of Node. */
  date: string
  /** The values in the `env` of the worker. */
  env?: Readonly<Record<string, string>>
}

/** Runs a bundle as a module in workerd, on a free loopback port. */
export async function startWorkerd(
  code: string,
  { date, env = {} }: WorkerdOptions,
): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-workerd-'))
  await writeFile(join(folder, 'worker.js'), code)
  await writeFile(join(folder, 'config.capnp'), configWith(date, env))
  const args = ['serve', join(folder, 'config.capnp'), '--control-fd=3']
  const child = spawn(findWorkerd(), args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const exited = once(child, 'close')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fourth of four pipes
  const lines = createInterface({ input: child.stdio[3] as Readable })[Symbol.asyncIterator]()
  const { value } = await lines.next()
  if (value === undefined) throw new Error(`workerd did not start:\n${errors}`)
  const { port }: { port: number } = JSON.parse(value)
  return {
    url: `http://127.0.0.1:${port}/`,
    async stop() {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}

function findWorkerd(): string {
  const { resolve } = createRequire(join(root, 'test/support/tools/edge/package.json'))
  const machine = `${process.platform}-${process.arch === 'x64' ? '64' : process.arch}`
  return resolve(`@cloudflare/workerd-${machine}/bin/workerd`)
}

function configWith(date: string, env: Readonly<Record<string, string>>): string {
  const bindings = Object.entries(env).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = ${JSON.stringify(date)},
  bindings = [${bindings.join(', ')}],
);
`
}
