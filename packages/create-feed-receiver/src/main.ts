import { Command, CommanderError, Option } from 'commander'
import { addToApp } from './add-to-app.ts'
import {
  appFrameworks,
  databases,
  frameworks,
  packageManagers,
  type CommandLine,
  type Context,
  type Flags,
} from './context.ts'
import { createApp } from './create-app.ts'
import { CreateError } from './errors.ts'
import { version } from './manifest.ts'

/** Runs the command: creates an app, or adds the feed to one, and returns the exit code. */
export async function main(args: string[], context: Context): Promise<number> {
  try {
    const flags = readFlags(args, context)
    if (flags.into === undefined) await createApp(forNewApp(flags), context)
    else await addToApp(flags.into, flags, context)
    return 0
  } catch (error) {
    // Help or the version was printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (!(error instanceof CreateError)) throw error
    context.complain(error.message)
    if (error.code === 'interrupted') return 130
    return error.code === 'usage' ? 2 : 1
  }
}

/** Errors: `usage` if the framework has no template. */
function forNewApp({ template, ...flags }: CommandLine): Flags {
  if (template === undefined) return flags
  const known = frameworks.find((framework) => framework === template)
  if (known === undefined)
    throw new CreateError(
      'usage',
      `There is no template for ${template}. Create a ${template} app with its own tool, then add the feed with --into.`,
    )
  return { ...flags, template: known }
}

function readFlags(args: string[], { print }: Context): CommandLine {
  const program = new Command('npm create feed-receiver@latest')
    .usage(
      '[folder] -- [options]\n       npm create feed-receiver@latest -- --into <folder> [options]',
    )
    .description('Creates an app that receives the feed, or adds the feed to an existing app.')
    .argument('[folder]')
    .addOption(
      new Option(
        '-t, --template <name>',
        'framework (express); sveltekit and nuxt only with --into',
      ).choices(appFrameworks),
    )
    .addOption(
      new Option('--database <kind>', 'database of the inbox (embedded)').choices(databases),
    )
    .addOption(
      new Option('--pm <name>', 'package manager (the one that runs this command)').choices(
        packageManagers,
      ),
    )
    .option('-y, --yes', 'ask nothing and use the defaults')
    .option('--no-install', 'do not install packages')
    .option('--no-git', 'do not create a git repository')
    .option(
      '--overwrite',
      'write to a folder that is not empty and overwrite files of the same names',
    )
    .option('--into <folder>', 'add the feed to the app in this folder')
    .option('--recipe <names>', 'copy recipes into the app, such as incidents; separated by commas')
    .option('--dry-run', 'list the files without writing them')
    .helpOption('-h, --help', 'show this help')
    .version(version(), '--version', 'show the version')
    .addHelpText(
      'after',
      '\nIt asks nothing if input or output is not a terminal, or if CI is set.',
    )
    .configureHelp({ helpWidth: 100 })
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: () => undefined })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(error, program.args)
    })
  program.parse(args, { from: 'user' })
  const [folder] = program.args
  const flags = program.opts<CommandLine>()
  if (flags.into?.startsWith('-'))
    throw new CreateError('usage', '--into needs a folder. For the current one, use --into .')
  const useless = (['database', 'overwrite'] as const).find((name) => flags[name] !== undefined)
  if (flags.into !== undefined && useless !== undefined)
    throw new CreateError('usage', `--${useless} is only for a new app. Remove it, or --into.`)
  if (folder === undefined) return flags
  if (flags.into === undefined) return { ...flags, folder }
  throw new CreateError(
    'usage',
    '--into already names the folder. Remove the other folder argument.',
  )
}

/** Leaves out the value of an unknown option, because it may be a secret. */
function usageError({ code, message }: CommanderError, folders: string[]): CreateError {
  const why =
    code === 'commander.excessArguments'
      ? `Pass one folder, not ${folders.length}: "${folders.join('", "')}".`
      : message
          .replace(/^error: (\w)/, (_, first: string) => first.toUpperCase())
          .replace(/^(Unknown option '[^=']*)=.*/s, "$1'")
          .replace(
            /.*(--\w+) .*' argument '(.*)' is invalid\. .* are (.*)\./s,
            '$1 must be one of $3, but it is $2.',
          )
  return new CreateError('usage', `${why}\nSee: npm create feed-receiver -- --help`)
}
