import { inbox } from './0001-inbox.ts'

/** The inbox's own migrations, by name. Modules, because not every runtime can read files. */
export const migrations = { '0001-inbox.sql': inbox }
