import { parseArgs } from 'node:util'
import { databases, frameworks, packageManagers, type Choices } from './choices.ts'
import { CreateError } from './errors.ts'

export interface Flags extends Partial<Choices> {
  into: string | undefined
  yes: boolean
  install: boolean
  git: boolean
  overwrite: boolean
  dryRun: boolean
  help: boolean
  version: boolean
}

/** Errors: `usage` for what this command does not know. */
export function readFlags(args: string[]): Flags {
  const { values, positionals } = parse(args)
  if (positionals.length > 1) {
    throw new CreateError('usage', `One folder at a time: "${positionals.join('" or "')}"?`)
  }
  if (values.into !== undefined && positionals.length > 0) {
    throw new CreateError('usage', '--into names the folder itself. Leave the other one out.')
  }
  const framework = oneOf('--template', frameworks, values.template)
  const database = oneOf('--database', databases, values.database)
  const packageManager = oneOf('--pm', packageManagers, values.pm)
  const [folder] = positionals
  return {
    ...(folder !== undefined && { folder }),
    ...(framework && { framework }),
    ...(database && { database }),
    ...(packageManager && { packageManager }),
    into: values.into,
    yes: values.yes,
    install: !values['no-install'],
    git: !values['no-git'],
    overwrite: values.overwrite,
    dryRun: values['dry-run'],
    help: values.help,
    version: values.version,
  }
}

function parse(args: string[]) {
  const isOn = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        database: { type: 'string' },
        pm: { type: 'string' },
        into: { type: 'string' },
        yes: { ...isOn, short: 'y' },
        'no-install': isOn,
        'no-git': isOn,
        overwrite: isOn,
        'dry-run': isOn,
        help: { ...isOn, short: 'h' },
        version: isOn,
      },
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CreateError('usage', `${why}\nSee: npm create feed-receiver -- --help`, {
      cause: error,
    })
  }
}

function oneOf<const Value extends string>(
  flag: string,
  values: readonly Value[],
  given: string | undefined,
): Value | undefined {
  if (given === undefined) return undefined
  const found = values.find((value) => value === given)
  if (found) return found
  throw new CreateError('usage', `${flag} is one of ${values.join(', ')}, and was ${given}.`)
}
