import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { builtProgram } from '../../support/built-program.ts'
import { until } from '../../support/until.ts'
import { patienceMs, withPatience } from './patience.ts'

/** A program that always runs: when its process ends, another one starts. */
export interface Member<Order = never> {
  readonly name: string
  /** The pid of the current process. */
  readonly pid: number
  /** Its port; 0 while it does not listen. */
  readonly port: number
  /** How many of its processes were killed as planned. */
  readonly kills: number
  /** How its processes ended without an order. */
  readonly unplannedExits: readonly string[]
  /** Gives an order to the current process once it is ready, and waits until it is done. */
  send(order: Order): Promise<void>
  /** Announces the end of the process, and resolves when another one is ready in its place. */
  replaced(ending: Ending): Promise<Replaced>
  /** Waits for a line of its log after a mark that matches. */
  logged(pattern: RegExp, since: number, withinMs?: number): Promise<string>
  /** The lines of its log after a mark. */
  linesSince(mark: number): string[]
  /** The current length of its log. */
  mark(): number
  signal(signal: NodeJS.Signals): void
  /** Ends it for good. */
  stop(): Promise<void>
}

/** `SIGKILL`, or 0 for a process that was asked to end and exits with 0. */
export type Ending = 'SIGKILL' | 0

export interface Replaced {
  oldPid: number
  newPid: number
}

export interface MemberOptions<Settings> {
  name: string
  program: URL
  folder: string
  /** Called at each start, because they may have changed. */
  settings: () => Settings
  onMessage?: (message: object) => void
}

export async function startMember<Settings, Order>({
  name,
  program,
  folder,
  settings,
  onMessage = () => {},
}: MemberOptions<Settings>): Promise<Member<Order>> {
  const logPath = `${folder}/${name}.log`
  const unplannedExits: string[] = []
  const orders = new Map<number, () => void>()
  let lastOrder = 0
  let kills = 0
  let port = 0
  let isReady = false
  let isStopping = false
  let expected: Ending | undefined
  let child = launch()
  await untilReady()

  return {
    name,
    get pid() {
      return child.pid ?? 0
    },
    get port() {
      return port
    },
    get kills() {
      return kills
    },
    unplannedExits,
    async send(order) {
      await untilReady()
      lastOrder += 1
      const number = lastOrder
      const done = new Promise<void>((resolve) => orders.set(number, resolve))
      child.send({ number, order }, () => {})
      await withPatience(done, `${name} did not do ${JSON.stringify(order)}`)
    },
    async replaced(ending) {
      expected = ending
      const old = child
      await until(`${name} has ended`, () => child !== old, { withinMs: patienceMs })
      await untilReady()
      return { oldPid: old.pid ?? 0, newPid: child.pid ?? 0 }
    },
    logged: (pattern, since, withinMs = patienceMs) =>
      until(`${String(pattern)} in ${logPath}`, () => findLine(logPath, pattern, since), {
        withinMs,
      }),
    linesSince: (mark) => readLines(logPath, mark),
    mark: () => statSync(logPath).size,
    signal: (signal) => void child.kill(signal),
    async stop() {
      isStopping = true
      child.kill('SIGKILL')
      await until(`${name} has ended`, () => child.signalCode !== null || child.exitCode !== null)
    },
  }

  function launch(): ChildProcess {
    const log = openSync(logPath, 'a')
    const args = [builtProgram(program), JSON.stringify(settings())]
    const started = spawn(process.execPath, args, { stdio: ['ignore', log, log, 'ipc'] })
    closeSync(log)
    started.on('message', (message: { ready?: number; done?: number }) => {
      if (message.ready !== undefined) [port, isReady] = [message.ready, true]
      if (message.done !== undefined) orders.get(message.done)?.()
      onMessage(message)
    })
    started.on('error', () => undefined)
    started.on('exit', (code, signal) => relaunch(started.pid, code ?? signal))
    return started
  }

  function relaunch(pid: number | undefined, ending: number | NodeJS.Signals | null): void {
    port = 0
    isReady = false
    if (isStopping) return
    if (ending !== expected) unplannedExits.push(`${name} (pid ${pid}) ended with ${ending}`)
    else if (ending === 'SIGKILL') kills += 1
    expected = undefined
    child = launch()
  }

  async function untilReady(): Promise<void> {
    await until(`${name} works`, () => isReady, { withinMs: patienceMs })
  }
}

function findLine(path: string, pattern: RegExp, since: number): string | undefined {
  return readLines(path, since).find((line) => pattern.test(line))
}

function readLines(path: string, since: number): string[] {
  return readFileSync(path).subarray(since).toString('utf8').split('\n')
}
