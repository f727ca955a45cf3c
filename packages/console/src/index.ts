export { createConsole } from './create-console.ts'
export type { Console, ConsoleOptions } from './create-console.ts'
export type { Authorize, Operator } from './access.ts'

export { accessFromEnv } from './access-from-env.ts'
export type { ConsoleAccess } from './access-from-env.ts'

export { ConsoleError } from './errors.ts'
export type { ConsoleErrorCode } from './errors.ts'
