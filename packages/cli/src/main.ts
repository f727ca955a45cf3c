import type { Readable, Writable } from 'node:stream'
import { didYouMean } from './closest.ts'
import type { ListedCommand } from './command.ts'
import { commands } from './commands.ts'
import type { Context } from './context.ts'
import { CliError } from './errors.ts'
import { commandHelp, listHelp } from './help.ts'
import { createOutput } from './output.ts'
import { withEnvFile } from './read-env-file.ts'
import { version } from './version.ts'

export interface MainOptions {
  env: Readonly<Record<string, string | undefined>>
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
  signal: AbortSignal
}

/** Runs one command line and gives its exit code: 0 well, 1 failed, 2 called wrongly. */
export async function main(args: string[], options: MainOptions): Promise<number> {
  const { env, stdin, stdout, stderr, signal } = options
  const out = createOutput({ stdout, stderr, isJson: ownArguments(args).includes('--json') })
  const canAsk = stdin.isTTY === true && stderr.isTTY === true
  try {
    return await runCommand(args, { out, env, input: stdin, canAsk, signal }, stdout)
  } catch (error) {
    const { describeError } = await import('./describe-error.ts')
    const { exitCode, ...shown } = describeError(error, signal)
    out.error(shown)
    return exitCode
  }
}

async function runCommand(args: string[], context: Context, stdout: Writable): Promise<number> {
  const print = (text: string): number => {
    stdout.write(`${text}\n`)
    return 0
  }
  const listed = findCommand(args)
  const isHelp = ownArguments(args).some((arg) => arg === '--help' || arg === '-h')
  if (listed) {
    const command = await listed.load()
    if (isHelp) return print(commandHelp(listed, command))
    const env = withEnvFile(context.env, context.out)
    const rest = args.slice(listed.name.split(' ').length)
    return await command.run(listed, rest, { ...context, env })
  }
  if (args[0] === '--version') return print(version())
  const words = leadingWords(args)
  const group = commands.filter(({ name }) => name.startsWith(`${words.join(' ')} `))
  if (words.length === 0) {
    if (isHelp || args.length === 0) return print(listHelp(commands))
    throw new CliError('usage', 'The command comes first. See: feed-receiver --help')
  }
  if (isHelp && group.length > 0) return print(listHelp(group, words.join(' ')))
  throw unknown(words, group)
}

/** The command whose words stand first; of several the one with most words. */
function findCommand(args: string[]): ListedCommand | undefined {
  const words = leadingWords(args)
  return commands
    .filter(({ name }) => name.split(' ').every((word, index) => words[index] === word))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
}

function unknown(words: string[], group: readonly ListedCommand[]): CliError {
  if (group.length > 0) {
    const written = words.join(' ')
    const next = group.map(({ name }) => name.slice(written.length + 1)).join(', ')
    return new CliError('usage', `After "${written}" comes one of: ${next}.`)
  }
  const names = commands.map(({ name }) => name)
  const isGroup = names.some((name) => name.startsWith(`${words[0] ?? ''} `))
  const candidates = [1, 2, 3].map((count) => words.slice(0, count).join(' '))
  const guess = candidates.map((text) => didYouMean(text, names)).findLast(Boolean) ?? ''
  const written = words.slice(0, isGroup ? 2 : 1).join(' ')
  return new CliError(
    'usage',
    `There is no command ${JSON.stringify(written.slice(0, 40))}.${guess} See: feed-receiver --help`,
  )
}

function leadingWords(args: string[]): string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'))
  return end === -1 ? args : args.slice(0, end)
}

/** What stands before `--`; behind it nothing is an option. */
function ownArguments(args: string[]): string[] {
  const end = args.indexOf('--')
  return end === -1 ? args : args.slice(0, end)
}
