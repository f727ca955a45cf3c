import { didYouMean } from './closest.ts'
import { CliError } from './errors.ts'

/** One option of a verb, in the words of `parseArgs`, with what `--help` says of it. */
export interface Option {
  type: 'string' | 'boolean'
  short?: string
  multiple?: boolean
  default?: string
  /** One line for `--help`. */
  help: string
  /** The name of its value in `--help`. */
  value?: string
}

export type OptionTable = Record<string, Option>

/** Refuses what no option is, and options without their value, before `parseArgs` would. */
export function checkArguments(verb: string, options: OptionTable, args: readonly string[]): void {
  const seeHelp = `See: feed-receiver ${verb} --help`
  const refuse = (what: string): never => {
    throw new CliError('usage', `${what} ${seeHelp}`)
  }
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') return
    if (!arg.startsWith('-') || arg === '-') continue
    if (/^-[a-z]{2}/i.test(arg)) return refuse('Options with one letter stand apart: -y -h.')
    const { shown, option, inline } = findOption(options, arg)
    if (!option) {
      const names = Object.keys(options).map((name) => `--${name}`)
      return refuse(`${verb} has no option ${shown}.${didYouMean(shown, names)}`)
    }
    if (option.type === 'boolean') {
      if (inline !== undefined) return refuse(`${shown} takes no value.`)
      continue
    }
    if (inline !== undefined) continue
    at += 1
    const value = args[at]
    if (value === undefined || (value.startsWith('-') && value !== '-')) {
      return refuse(`${shown} needs a value: ${shown}=<${option.value ?? 'value'}>.`)
    }
  }
}

interface FoundOption {
  shown: string
  option: Option | undefined
  inline: string | undefined
}

function findOption(options: OptionTable, arg: string): FoundOption {
  if (!arg.startsWith('--')) {
    const letter = arg.slice(1)
    const option = Object.values(options).find(({ short }) => short === letter)
    return { shown: arg.slice(0, 2), option, inline: undefined }
  }
  const [shown = '', ...rest] = arg.split('=')
  const name = shown.slice(2)
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  return { shown, option, inline: rest.length > 0 ? rest.join('=') : undefined }
}
