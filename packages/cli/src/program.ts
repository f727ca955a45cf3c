import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import type { Context, Verb } from './command.ts'
import { commands } from './commands.ts'
import { readEnvFile } from './env-file.ts'
import { verbOf, rejectOptionAsValue, unknownCommand, usageError } from './usage-error.ts'
import { createOutput, type Terminal } from './output/output.ts'

interface MainOptions extends Terminal, Pick<Context, 'env' | 'signal'> {
  stdin: Context['input']
}

/** Runs one command line and returns its exit code: 0 success, 1 failure, 2 wrong usage. */
export async function main(args: string[], options: MainOptions): Promise<number> {
  const { env, stdin, stdout, stderr, signal } = options
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const out = createOutput({ stdout, stderr, isJson: own.includes('--json') })
  const canAsk = stdin.isTTY === true && stderr.isTTY === true
  const context = { out, env, ownEnv: env, input: stdin, canAsk, signal, verbs: commands }
  try {
    return await runProgram(args, context, (text) => stdout.write(text))
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const { describeError } = await import('./output/describe-error.ts')
    const { exitCode, ...shown } = describeError(error, signal)
    out.error(shown)
    return exitCode
  }
}

/** @throws CliError, and CommanderError with exit code 0 once help or version was written. */
async function runProgram(
  args: string[],
  context: Context,
  writeOut: (text: string) => void,
): Promise<number> {
  let exitCode = 0
  const width = context.out.columns ?? 100
  const program = new Command('feed-receiver')
    .version(ownVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    // Errors are thrown, and printed with all others.
    .configureOutput({ writeOut, writeErr: () => undefined })
    .configureHelp({ visibleCommands: verbsBelow, subcommandTerm: termOf, helpWidth: width })
    .addHelpText('after', `\n${everyCommand}`)
    .addHelpText('afterAll', `\n${variables}`)

  for (const { name, operands, summary, load } of commands) {
    const words = name.split(' ')
    const last = words.pop() ?? name
    const group = words.reduce(subcommand, program)
    const command = group.command(last).summary(summary).description(`${summary}.`)
    for (const operand of operands.match(/[[<].*?[\]>]/g) ?? []) command.argument(operand)
    group.hook('preSubcommand', async (_, called) => {
      if (called === command) prepare(command, await load())
    })
  }
  throwErrors(program)
  rejectUnknownCommands(program, args)
  await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
  return exitCode

  function prepare(command: Command, { options, notes, examples, run }: Verb): void {
    for (const option of Object.values(options)) command.addOption(option)
    const paragraphs = notes.map((note) => command.createHelp().boxWrap(note, width))
    const shown = examples.length === 0 ? [] : [['Examples:', ...examples].join('\n  ')]
    command.addHelpText('after', [...paragraphs, ...shown].map((part) => `\n${part}`).join('\n'))
    rejectOptionAsValue(args, command)
    command.action(async () => {
      exitCode = await run(command, { ...context, env: withEnvFile(context.env, context.out) })
    })
  }
}

function subcommand(parent: Command, name: string): Command {
  return parent.commands.find((one) => one.name() === name) ?? parent.command(name)
}

// Commander would answer `sned --help` with the help of the program, as if nothing were wrong.
function rejectUnknownCommands(program: Command, args: readonly string[]): void {
  let command = program
  for (const word of args) {
    if (command.commands.length === 0 || word.startsWith('-')) return
    const below = command.commands.find((one) => one.name() === word)
    if (!below) throw unknownCommand(word, command)
    command = below
  }
}

function verbsBelow({ commands: below }: Command): Command[] {
  return below.flatMap((one) => (one.commands.length === 0 ? [one] : verbsBelow(one)))
}

function termOf(command: Command): string {
  const name = verbOf(command)
  return `${name} ${commands.find((listed) => listed.name === name)?.operands ?? ''}`
}

function throwErrors(command: Command): void {
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : usageError(error, command)
  })
  for (const below of command.commands) throwErrors(below)
}

function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return /"version": "(.*?)"/.exec(text)?.[1] ?? 'unknown'
}

/**
 * The environment, and variables that ./.env adds. A non-empty variable of the environment
 * overrides the file, as it does for the app.
 */
function withEnvFile(env: Context['env'], { note }: Pick<Context['out'], 'note'>) {
  const isSet = ([, value]: [string, string | undefined]) => value !== undefined && value !== ''
  try {
    return { ...env, ...readEnvFile(), ...Object.fromEntries(Object.entries(env).filter(isSet)) }
  } catch (error) {
    const { code = 'unknown' } = Object(error)
    note(`warning: ./.env cannot be read (${code}), so only the environment is used.`)
    return env
  }
}

const everyCommand = `Every command has --help and --json. Exit codes: 0 success, 1 failure, 2 wrong usage.
The signing secret is read from FEED_SIGNING_SECRET unless an option says otherwise.`

const variables = `A value in parentheses is the default.
Variables that the environment does not set are read from ./.env.`
