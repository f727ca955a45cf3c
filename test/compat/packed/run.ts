import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The result of a command. Compare it as a whole, so that a failed test shows all output. */
export interface Outcome {
  code: number | string | null
  stdout: string
  stderr: string
}

/** Runs a command to its end, with a limit of one minute, or five for npm and pnpm. */
export async function run(
  command: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  const timeout = /^p?npm$/.test(command) ? 300_000 : 60_000
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout })
  const ended = new Promise<Outcome['code']>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}

/** The same for required steps. Throws unless the command succeeds, and returns its output. */
export async function mustRun(
  command: string,
  args: string[],
  cwd: string,
  env?: NodeJS.ProcessEnv,
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, cwd, env)
  if (code === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} ended with ${code} in ${cwd}:\n${stdout}${stderr}`)
}
