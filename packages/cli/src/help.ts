import { commonOptions, type Command, type ListedCommand } from './command.ts'
import type { OptionTable } from './check-arguments.ts'

/** What `feed-receiver --help` prints, or `--help` after the first words of several verbs. */
export function listHelp(commands: readonly ListedCommand[], group = ''): string {
  const width = Math.max(...commands.map(({ name, operands }) => `${name} ${operands}`.length))
  const rows = commands.map(
    ({ name, operands, summary }) => `  ${`${name} ${operands}`.padEnd(width)}  ${summary}`,
  )
  return [
    `Usage: feed-receiver ${group === '' ? '' : `${group} `}<command> [options]`,
    '',
    ...rows,
    '',
    'Every command has --help and --json. Exit codes: 0 well, 1 failed, 2 called wrongly.',
    'The signing secret is read from FEED_SIGNING_SECRET unless an option says otherwise.',
    variables,
  ].join('\n')
}

const variables =
  'Variables are read from the environment, and those that it does not set from ./.env.'

/** What `feed-receiver <verb> --help` prints. */
export function commandHelp(
  { name, summary, operands }: ListedCommand,
  { options, notes, examples }: Command,
): string {
  const own = Object.fromEntries(
    Object.entries(options).filter(([option]) => !Object.hasOwn(commonOptions, option)),
  )
  return [
    `Usage: feed-receiver ${[name, operands, '[options]'].filter(Boolean).join(' ')}`,
    '',
    `${summary}.`,
    '',
    'Options:',
    ...optionRows({ ...own, ...commonOptions }),
    ...notes.flatMap((note) => ['', note]),
    '',
    variables,
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map((line) => `  ${line}`)]),
  ].join('\n')
}

function optionRows(options: OptionTable): string[] {
  const shown = Object.entries(options).map(([name, { short, type, value = 'value', help }]) => ({
    names: `${short === undefined ? '' : `-${short}, `}--${name}${type === 'string' ? ` <${value}>` : ''}`,
    help,
  }))
  const width = Math.max(...shown.map(({ names }) => names.length))
  return shown.map(({ names, help }) => `  ${names.padEnd(width)}  ${help}`)
}
