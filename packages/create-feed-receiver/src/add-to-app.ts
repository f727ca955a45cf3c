import type { Context } from './context.ts'
import { CreateError } from './errors.ts'
import type { Flags } from './flags.ts'

export async function addToApp(into: string, flags: Flags, context: Context): Promise<void> {
  void flags
  void context
  throw new CreateError('no_app', into)
}
