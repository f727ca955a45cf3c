export { createConsole } from './create-console.ts'
export type { Console, ConsoleOptions } from './create-console.ts'
export type { Authorize, Operator } from './access.ts'

export { accessFromEnv } from './access-from-env.ts'
export type { ConsoleAccess } from './access-from-env.ts'

export type { ConsoleError, ConsoleErrorCode } from './errors.ts'
