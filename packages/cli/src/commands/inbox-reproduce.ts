import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { defineCommand } from '../command.ts'
import { problem } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, text } from '../options/option.ts'
import { refuseExisting, writeOutput } from '../output/output-file.ts'
import { reproduceEvent } from '../reproduce-event.ts'

export const inboxReproduce = defineCommand('inbox reproduce', {
  options: { handlers: text, setup: text, output: text, force: flag, ...inboxOptions },
  async run({ operands: [eventId = ''], options }, context) {
    const { out } = context
    const { output, force = false } = options
    refuseExisting({ '--output': output }, force)
    const handlers = moduleFor('--handlers', options.handlers, output)
    const setup = moduleFor('--setup', options.setup, output)
    const written = await withInbox(options, context, (inbox) =>
      reproduceEvent(inbox, eventId, { handlers, setup }),
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
  if (!isModule(resolve(given))) throw problem('usage', 'no_such_module', { name, file: given })
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
  const places = [path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'), ...endings.map((end) => path + end)]
  return places.some((place) => statSync(place, { throwIfNoEntry: false })?.isFile())
}
