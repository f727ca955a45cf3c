import { sandbox } from './0001-sandbox.ts'

/** The sandbox's migrations, by name. Modules, because not every runtime can read files. */
export const migrations = { '0001-sandbox.sql': sandbox }
