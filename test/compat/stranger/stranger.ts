import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inject, type TestContext } from 'vitest'
import { runCommand, type Outcome } from '../../support/run-command.ts'
import { startCommand, type RunningProgram } from '../../support/start-program.ts'
import { strangerEnv } from './stranger-env.ts'
import { freePort } from '../../support/free-port.ts'

/** A user in their own folder, which stays if the test fails. */
export interface Stranger {
  folder: string
  port: number
  env: NodeJS.ProcessEnv
  /** Runs a command to its end. */
  run(command: string, ...args: string[]): Promise<Outcome>
  /** Starts a command, which ends with the test at the latest. */
  start(command: string, ...args: string[]): RunningProgram
  fetch(path: string): Promise<Response>
  read(path: string): Promise<string>
  /** Changes a file, like in an editor. */
  edit(path: string, change: (text: string) => string): Promise<void>
}

/** A user in a folder of this name, for one test. Adds `more` to the environment. */
export async function useStranger(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  name: string,
  more: NodeJS.ProcessEnv = {},
): Promise<Stranger> {
  const folder = join(inject('projectsFolder'), name)
  await mkdir(folder, { recursive: true })
  const port = await freePort()
  const home = dirname(inject('projectsFolder'))
  const env = { ...strangerEnv(inject('registryUrl'), home), PORT: String(port), ...more }
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') await rm(folder, { recursive: true, force: true })
  })

  return {
    folder,
    port,
    env,
    run: (command, ...args) => runCommand(command, args, { cwd: folder, env }),
    start(command, ...args) {
      const started = startCommand(command, args, { cwd: folder, env, isGroup: true })
      onTestFinished(async () => void (await started.stop('SIGKILL')))
      return started
    },
    fetch: (path) => fetch(`http://127.0.0.1:${port}${path}`),
    read: (path) => readFile(join(folder, path), 'utf8'),
    async edit(path, change) {
      const text = await readFile(join(folder, path), 'utf8')
      await writeFile(join(folder, path), change(text))
    },
  }
}
