import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The result of a command. Compare it as a whole, so that a failed test shows all output. */
export interface Outcome {
  code: number | string | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** After this time it is terminated. By default a minute, or five for npm and pnpm. */
  timeoutMs?: number
}

/** Runs a command to its end. Rejects only if it cannot be started. */
export async function runCommand(
  command: string,
  args: readonly string[],
  {
    cwd,
    env = process.env,
    timeoutMs = /^p?npm$/.test(command) ? 300_000 : 60_000,
  }: CommandOptions = {},
): Promise<Outcome> {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  })
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
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, options)
  if (code === 0) return stdout
  const where = options.cwd === undefined ? '' : ` in ${options.cwd}`
  throw new Error(`${command} ${args.join(' ')} ended with ${code}${where}:\n${stdout}${stderr}`)
}
