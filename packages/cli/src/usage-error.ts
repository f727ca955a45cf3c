import type { Command, CommanderError } from 'commander'
import { UsageError } from './errors.ts'
import { didYouMean } from './options/option.ts'

/** Rewords an error of commander without its value, because a misplaced value may be a secret. */
export function usageError(error: CommanderError, command: Command): UsageError {
  return rejection(describeMistake(error, command), command)
}

/** The error for a word that is no command of the program, or of a group such as `inbox`. */
export function unknownCommand(word: string, group: Command): UsageError {
  const before = group.parent ? `${verbOf(group)} ` : ''
  const written = (before + word).slice(0, 40)
  const names = group.commands.map((one) => one.name())
  const guess = didYouMean(word, names, before)
  return rejection(`There is no command ${JSON.stringify(written)}.${guess}`, group)
}

/** Rejects an option in the place of a value, which commander would take for the value. */
export function rejectOptionAsValue(args: readonly string[], command: Command): void {
  for (const [at, arg] of args.entries()) {
    if (arg === '--') return
    const option = command.options.find(({ long, required }) => required && long === arg)
    if (option && /^-./.test(args[at + 1] ?? '')) throw rejection(needsValue(option.flags), command)
  }
}

/** The words of a verb, such as `inbox list`; empty for the program itself. */
export function verbOf(command: Command): string {
  if (!command.parent) return ''
  return `${verbOf(command.parent)} ${command.name()}`.trim()
}

function rejection(what: string, command: Command): UsageError {
  const called = `feed-receiver ${verbOf(command)}`.trim()
  return new UsageError(`${what} See: ${called} --help`)
}

function describeMistake({ code, message }: CommanderError, command: Command): string {
  const name = verbOf(command)
  const below = command.commands.map((one) => one.name())
  const [, quoted = ''] = /'(.*)'/s.exec(message) ?? []
  if (name === '') return 'Put the command before its options.'
  if (below.length > 0) return `"${name}" needs a command: ${below.join(', ')}.`
  if (code === 'commander.unknownOption') return describeBadOption(quoted, command)
  if (code === 'commander.optionMissingArgument') return needsValue(quoted)
  if (code === 'commander.missingArgument') return `${name} needs <${quoted}>.`
  if (code !== 'commander.excessArguments') return message
  const expected = command.registeredArguments
  const takes = expected.map((one) => `<${one.name()}>`).join(' ') || 'only options'
  const extra = command.args.length - expected.length
  return `${name} takes ${takes}, but got ${extra} more. Put quotes around a value with spaces.`
}

function describeBadOption(written: string, command: Command): string {
  if (/^-[a-z]{2}/i.test(written)) return 'Write one-letter options separately: -y -h.'
  const [shown = ''] = written.split('=')
  const names = command.options.map(({ long }) => long?.slice(2) ?? '')
  if (names.includes(shown.slice(2))) return `${shown} takes no value.`
  return `${verbOf(command)} has no option ${shown}.${didYouMean(shown.slice(2), names, '--')}`
}

/** @param flags As `--to <url>`. */
function needsValue(flags: string): string {
  return `${flags.replace(/ .*/, '')} needs a value: ${flags.replace(' ', '=')}.`
}
