import { openDatabase } from '@feed-receiver/database'
import type { Control } from './control/control.ts'
import { SandboxError } from './errors.ts'
import { readOptions, type SandboxOptions } from './options.ts'
import { runSandbox } from './run-sandbox.ts'

export interface Sandbox extends AsyncDisposable {
  /** Opens the database, migrates, creates the first account and listens. Idempotent. */
  start(): Promise<void>
  /** Waits for in-flight work and closes everything. It can be started again. Idempotent. */
  stop(): Promise<void>
  /** The URL that it listens on. @throws SandboxError `not_running` */
  readonly url: string
  /**
   * The address of the control page, with its session. Do not log it. @throws SandboxError
   * `not_running`
   */
  readonly controlUrl: string
  readonly session: string
  /** The actions of the control page. @throws SandboxError `not_running` */
  readonly control: Control
}

type RunningSandbox = Awaited<ReturnType<typeof runSandbox>>

/** Creates a feed service on this machine. Opens nothing before `start`. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = readOptions(options)
  const { session } = settings
  let isFresh = settings.fresh
  let running: RunningSandbox | undefined
  let lastChange: Promise<void> = Promise.resolve()

  const sandbox: Sandbox = {
    start: () =>
      change(async () => {
        running ??= await open()
      }),
    stop: () =>
      change(async () => {
        const stopping = running
        running = undefined
        await stopping?.stop()
      }),
    get url() {
      return asRunning().url
    },
    get controlUrl() {
      return `${asRunning().url}/_sandbox/open?session=${session}`
    },
    session,
    get control() {
      return asRunning().control
    },
    [Symbol.asyncDispose]: () => sandbox.stop(),
  }
  return sandbox

  async function open() {
    const database = openDatabase(settings.database, { isShared: false })
    try {
      const started = await runSandbox(settings, database, isFresh)
      isFresh = false
      return started
    } catch (error) {
      await database.close()
      throw error
    }
  }

  // Serialized, so that a stop during a start stops what was started.
  function change(make: () => Promise<void>): Promise<void> {
    const made = lastChange.then(make)
    lastChange = made.catch(() => undefined)
    return made
  }

  function asRunning(): RunningSandbox {
    if (running) return running
    throw new SandboxError('not_running', 'The sandbox is not running. Call start() first.')
  }
}
