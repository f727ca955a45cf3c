import type { Command } from './command.ts'
import { send } from './commands/send.ts'

/** Every verb, in the order of the help. */
export const commands: readonly Command[] = [send]
