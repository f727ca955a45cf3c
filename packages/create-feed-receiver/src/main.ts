import { addToApp } from './add-to-app.ts'
import type { Context } from './context.ts'
import { createApp } from './create-app.ts'
import { CreateError } from './errors.ts'
import { readFlags } from './flags.ts'
import { help } from './help.ts'
import { version } from './version.ts'

/** The whole command: makes an app, or adds the feed to one, and gives the exit code. */
export async function main(args: string[], context: Context): Promise<number> {
  try {
    const flags = readFlags(args)
    if (flags.help) context.print(help)
    else if (flags.version) context.print(version())
    else if (flags.into === undefined) await createApp(flags, context)
    else await addToApp(flags.into, flags, context)
    return 0
  } catch (error) {
    if (!(error instanceof CreateError)) throw error
    context.complain(error.message)
    if (error.code === 'interrupted') return 130
    return error.code === 'usage' ? 2 : 1
  }
}
