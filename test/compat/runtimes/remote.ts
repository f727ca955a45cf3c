import { signDelivery } from '@feed-receiver/core/testing'
import { onTestFinished } from 'vitest'
import { overSockets, secret } from '../../contract/harness.ts'
import type { Holdings, Limits, OpenSocket } from '../../contract/session.ts'
import { openWire } from '../../contract/wire.ts'
import { findRuntime, type RuntimeName } from '../../repo/run/runtimes.mjs'
import type { CallAnswer } from '../../support/answer-calls.ts'
import { builtProgram, repository } from '../../support/built-program.ts'
import type { TestTarget } from '../../support/databases.ts'
import { startCommand } from '../../support/start-program.ts'
import type { Methods } from './receiver-process.ts'

const receiverProgram = builtProgram(new URL('receiver-process.ts', import.meta.url))

/** The command of each runtime to run a program with the `node_modules` of the repository. */
const commands: Partial<Record<RuntimeName, string[]>> = {
  bun: ['run'],
  deno: ['run', '--allow-all', '--no-config', '--node-modules-dir=manual'],
}

type AnyMethods = Record<string, (...args: never[]) => Promise<unknown>>

/** A process that answers calls of its methods. */
export interface RemoteProcess<Of extends AnyMethods> {
  call<Name extends keyof Of>(
    method: Name,
    ...args: Parameters<Of[Name]>
  ): Promise<Awaited<ReturnType<Of[Name]>>>
  /** Closes its input. */
  closeInput(): void
  kill(): void
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  /** Its output on stderr. */
  errors(): string
}

/** A receiving app on another runtime. */
export interface Remote extends RemoteProcess<Methods> {
  /** Stops it and closes its input, after which it must exit by itself. */
  stop(): Promise<void>
}

/** Resolves once its inbox works. */
export async function startRemote(
  runtime: RuntimeName,
  target: TestTarget['target'],
): Promise<Remote> {
  const database = typeof target === 'string' ? target : target.folder
  const args = [...(commands[runtime] ?? []), receiverProgram, database]
  const started = await startRemoteProcess<Methods>(runtime, args)
  return {
    ...started,
    async stop() {
      await started.call('stop')
      started.closeInput()
    },
  }
}

/** Resolves once it answers calls. */
export async function startRemoteProcess<Of extends AnyMethods>(
  runtime: RuntimeName,
  args: string[],
): Promise<RemoteProcess<Of>> {
  const program = startCommand(findRuntime(runtime), args, {
    cwd: repository,
    env: { ...process.env, FEED_SIGNING_SECRET: secret, NO_COLOR: '1' },
    hasInput: true,
  })
  const waiting = new Map<number, (answer: CallAnswer) => void>()
  let end: string | undefined
  void readAnswers()

  let count = 0
  const call: RemoteProcess<Of>['call'] = (method, ...given) => {
    count += 1
    program.send(JSON.stringify({ id: count, method, args: given }))
    // The other side runs the method of that name.
    return untilIdle(count) as Promise<never>
  }
  // The process sends id 0 once it is ready.
  await untilIdle(0)
  return {
    call,
    closeInput: program.closeInput,
    kill: () => program.kill(),
    ended: program.ended,
    errors: () => program.errors,
  }

  async function readAnswers(): Promise<void> {
    try {
      for (;;) {
        const answer = JSON.parse(await program.nextLine()) as CallAnswer
        waiting.get(answer.id)?.(answer)
        waiting.delete(answer.id)
      }
    } catch (error) {
      end = `The process on ${runtime} ended: ${String(error)}`
      for (const [id, resolve] of waiting) resolve({ id, error: end })
    }
  }

  function untilIdle(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (end !== undefined) reject(new Error(end))
      waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result)
        else reject(new Error(error))
      })
    })
  }
}

/** The calls of the contract that a process must answer. */
export interface ServerMethods<Server extends string> extends AnyMethods {
  serve(server: Server, limits: Limits): Promise<number>
  stopReceiver(port: number): Promise<void>
  close(port: number): Promise<void>
  holds(): Promise<Holdings>
}

/** Opens receivers of a remote process for the contract, each on its own port. */
export function opensOn<Server extends string>(
  remote: () => Pick<RemoteProcess<ServerMethods<Server>>, 'call'>,
  server: Server,
): OpenSocket {
  return async (limits = {}) => {
    const { call } = remote()
    const before = await call('holds')
    const port = await call('serve', server, limits)
    // A test may have ended the process.
    onTestFinished(() => call('close', port).catch(() => undefined))
    const { send } = overSockets({ port, close: async () => {} })
    return {
      port,
      send,
      deliver: (event, signing) => send(signDelivery(event, { secret, ...signing })),
      holds: async () => difference(before, await call('holds')),
      stop: () => call('stopReceiver', port),
      async wire() {
        const wire = await openWire(port)
        onTestFinished(() => wire.destroy())
        return wire
      },
    }
  }
}

function difference(before: Holdings, after: Holdings): Holdings {
  return {
    stored: after.stored - before.stored,
    quarantined: after.quarantined.slice(before.quarantined.length),
  }
}
