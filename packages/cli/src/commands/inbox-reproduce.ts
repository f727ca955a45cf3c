import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { reproduce } from '@feed-receiver/operate/rehearse'
import { defineCommand } from '../command.ts'
import { UsageError } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, text } from '../options/option.ts'
import { rejectExisting, writeOutput } from '../output/output-file.ts'

export const inboxReproduce = defineCommand({
  options: {
    handlers: text('--handlers <module>', 'module that exports `handlers` (./handlers.ts)'),
    setup: text('--setup <module>', 'module that exports `prepare`, which creates their tables'),
    output: text('--output <file>', 'file to write, such as test/incident.test.ts (stdout)'),
    force: flag('--force', 'overwrite an existing file'),
    ...inboxOptions,
  },
  notes: `
    The test fails as the handler failed, until you fix the handler. It contains the bytes of the
    event, its revisions, earlier events of its subject, the results of its effects, the error and
    the time. It contains no header and no secret of the feed. Paths of modules are relative to the
    current folder.
  `,
  examples: [
    'feed-receiver inbox reproduce evt_123 --handlers ./src/handlers.ts --output test/evt_123.test.ts',
  ],
  async run({ operands: [eventId = ''], options }, context) {
    const { out } = context
    const { output, force = false } = options
    rejectExisting('--output', output, force)
    const handlers = moduleFor('--handlers', options.handlers, output)
    const setup = moduleFor('--setup', options.setup, output)
    const written = await withInbox(options, context, (inbox) =>
      reproduce(inbox, eventId, { handlers, setup }),
    )
    if (output === undefined) {
      if (out.isJson) out.json({ eventId, test: written })
      else out.bytes(Buffer.from(written))
      return 0
    }
    await writeOutput(output, written, force)
    out.result({ eventId, file: output }, `${output} is written. Run it with: npx vitest ${output}`)
    out.note('The test needs @feed-receiver/operate in your project.')
    if (options.handlers === undefined) {
      out.note(`The test imports ./handlers.ts. Correct that, or add --handlers <module>.`)
    }
    return 0
  },
})

/**
 * The specifier by which the output file imports a module. The given path is relative to the
 * current folder, and the specifier to the folder of the output file.
 *
 * @throws CliError `usage` if there is no such file
 */
function moduleFor(
  name: string,
  given: string | undefined,
  output: string | undefined,
): string | undefined {
  if (given === undefined) return undefined
  if (!isPath(given)) return given
  if (!isModule(resolve(given)))
    throw new UsageError(
      `${name} ${given}: there is no such file. Use a path relative to the current folder, or the name of a package.`,
    )
  const from = output === undefined ? '.' : dirname(resolve(output))
  const path = relative(from, resolve(given)).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

/** Whether it names a file and not a package. A subpath of a package may have the same ending. */
function isPath(given: string): boolean {
  if (/^\.{1,2}[\\/]/.test(given) || isAbsolute(given)) return true
  const isFile = statSync(resolve(given), { throwIfNoEntry: false })?.isFile() ?? false
  const isOfPackage = /^[#@]/.test(given) || existsSync(resolve('node_modules', given))
  return isFile || (/\.[cm]?[jt]sx?$/.test(given) && !isOfPackage)
}

/** Whether vitest finds a module there: it tries endings, and accepts `.js` for `.ts`. */
function isModule(path: string): boolean {
  const endings = ['', '.ts', '.mts', '.js', '.mjs', '.tsx', '.jsx', '/index.ts', '/index.js']
  const candidates = [
    path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'),
    ...endings.map((end) => path + end),
  ]
  return candidates.some((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile())
}
