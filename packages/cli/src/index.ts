export { commands } from './commands.ts'
export type { Command } from './command.ts'
