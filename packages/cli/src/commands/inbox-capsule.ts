import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { defineCommand } from '../command.ts'
import { problem } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, text } from '../options/option.ts'

export const inboxCapsule = defineCommand('inbox capsule', {
  options: { handlers: text, setup: text, output: text, force: flag, ...inboxOptions },
  async run({ operands: [eventId = ''], options }, context) {
    const { out } = context
    const { output, force = false } = options
    if (output === undefined && force) throw problem('usage', 'force_alone')
    if (output !== undefined && !force && existsSync(output)) throw exists(output)
    const handlers = moduleFor(options.handlers, output)
    const setup = moduleFor(options.setup, output)
    const written = await withInbox(options, context, ({ entries }) =>
      entries.capsule(eventId, { handlers, setup }),
    )
    if (output === undefined) {
      if (out.isJson) out.json({ eventId, capsule: written })
      else out.bytes(Buffer.from(written))
      return 0
    }
    await mkdir(dirname(resolve(output)), { recursive: true })
    await writeFile(output, written, { flag: force ? 'w' : 'wx' }).catch((error: unknown) => {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
      throw isThere ? exists(output) : error
    })
    out.result({ eventId, file: output }, `${output} is written. Run it with: npx vitest ${output}`)
    if (options.handlers === undefined) {
      out.note(`It imports ./handlers.ts: correct that, or say --handlers <module>.`)
    }
    return 0
  },
})

/** A module as the file imports it: paths are given from here, and a file imports from where it is. */
function moduleFor(given: string | undefined, output: string | undefined): string | undefined {
  if (given === undefined || output === undefined) return given
  if (!/^\.{1,2}[\\/]/.test(given) && !isAbsolute(given)) return given
  const path = relative(dirname(resolve(output)), resolve(given))
    .split(sep)
    .join('/')
  return path.startsWith('.') ? path : `./${path}`
}

function exists(file: string): Error {
  return problem('usage', 'output_exists', { file })
}
