import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { repository } from '../../support/built-program.ts'
import { freePort } from '../../support/free-port.ts'
import { mustRun } from '../../support/run-command.ts'
import { startCommand, type RunningProgram } from '../../support/start-program.ts'

/** An example in another language. */
export interface Example {
  /** Below `examples/`. */
  folder: string
  /** Debian's package with its tools. */
  debianPackage: string
  /** Commands that make it ready to run. */
  prepare: readonly (readonly [command: string, ...args: string[]])[]
  /** How it is started, in its folder. */
  start: readonly [command: string, ...args: string[]]
}

/** A deliberate mistake: a piece of a file, and what takes its place. */
export interface Mistake {
  file: string
  right: string
  wrong: string
}

export interface Started {
  url: string
  /** Shell commands for `check`. */
  restartCommand: string
  countCommand: string
}

export const secrets = {
  FEED_SIGNING_SECRET: 'feed_whsec_of_other_languages_0123456789',
  FEED_SIGNING_SECRET_NEXT: 'feed_whsec_of_other_languages_9876543210',
}

/** Starts a copy of an example for the time of one test. */
export async function startReceiver(example: Example, mistake?: Mistake): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-conformance-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(join(repository, 'examples', example.folder), folder, { recursive: true })
  if (mistake) await makeMistake(folder, mistake)
  for (const [command, ...args] of example.prepare) await runTool(example, command, args, folder)

  const port = String(await freePort())
  const env = { ...process.env, ...secrets, PORT: port, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' }
  const [command, ...args] = example.start
  const start = async (): Promise<RunningProgram> => {
    const started = startCommand(command, args, { cwd: folder, env })
    const line = await started.nextLine().catch((error: unknown) => {
      throw missing(example, error)
    })
    if (!line.startsWith('Listening on ')) throw new Error(`${command} printed: ${line}`)
    return started
  }
  let receiver = await start()
  onTestFinished(async () => expect(await receiver.stop()).toBe(0))
  const restartUrl = await serveRestart(async () => {
    // What was answered is stored, so a process needs no warning.
    await receiver.stop('SIGKILL')
    receiver = await start()
  })
  const ask = `fetch('${restartUrl}').then((answer) => process.exit(answer.ok ? 0 : 1))`
  return {
    url: `http://127.0.0.1:${port}/webhooks/feed`,
    restartCommand: `'${process.execPath}' -e "${ask}"`,
    countCommand: `cd '${folder}' && ${[command, ...args].join(' ')} count "$FEED_EVENT_ID"`,
  }
}

async function makeMistake(folder: string, { file, right, wrong }: Mistake): Promise<void> {
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  if (text.split(right).length !== 2) throw new Error(`${file} does not have once: ${right}`)
  await writeFile(
    path,
    text.replace(right, () => wrong),
  )
}

/** Runs a tool to its end, and returns its output. */
export async function runTool(
  example: Pick<Example, 'debianPackage'>,
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' }
  return await mustRun(command, args, { cwd, env, timeoutMs: 180_000 }).catch((error: unknown) => {
    throw missing(example, error)
  })
}

function missing({ debianPackage }: Pick<Example, 'debianPackage'>, error: unknown): unknown {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  if (!isMissing) return error
  return new Error(`${error.message}: it is missing. Run: apt-get install -y ${debianPackage}`)
}

/** Stands in for a service manager, which stops a program and starts it again. */
async function serveRestart(restart: () => Promise<void>): Promise<string> {
  const server = createServer((_, response) => {
    restart().then(
      () => response.end(),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
