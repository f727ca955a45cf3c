import { parseEnv } from 'node:util'
import { readThere } from './env-file.ts'
import { readSources, withoutNotes } from './find-entry.ts'

/** The variable that names the database for the route. */
export interface FoundDatabase {
  name: string
  /** Where it was found, for a person; undefined if it is the default. */
  reason: string | undefined
  /** Whether only .env.local sets it, which the route does not load. */
  isOnlyLocal: boolean
}

const usual = 'DATABASE_URL'

/** For an app whose `DATABASE_URL` is of another kind of database. */
const own = 'FEED_DATABASE_URL'

/** Other names, by rank: of the URL on Vercel, Neon, Supabase, Heroku and Railway, and of libpq. */
const otherNames = [
  'POSTGRES_URL',
  'POSTGRESQL_URL',
  'PG_URL',
  'POSTGRES_PRISMA_URL',
  'NEON_DATABASE_URL',
  'SUPABASE_DB_URL',
  'HEROKU_POSTGRESQL_[A-Z]+_URL',
  'DATABASE_PRIVATE_URL',
  'DATABASE_PUBLIC_URL',
  'POSTGRES_URL_NON_POOLING',
  'DATABASE_URL_UNPOOLED',
  'PGHOST',
].map((name) => new RegExp(`^${name}$`))

const files = ['.env', '.env.local', '.env.example'] as const

/**
 * Finds the variable with the app's PostgreSQL in its .env files, else in its code. Prefers
 * `DATABASE_URL`, then a name that the code reads. Returns no value, because it may be secret.
 */
export function findDatabase(folder: string): FoundDatabase {
  const variables = readVariables(folder)
  const code = namesInCode(folder)
  const usualInFiles = variables.filter(({ name }) => name === usual)
  const isForeign =
    usualInFiles.length > 0
      ? isOfAnotherKind(usualInFiles[0]?.value ?? '')
      : hasForeignSchema(folder)
  const set = variables.filter(isOfPostgres)
  const real = set.filter(({ file }) => file !== '.env.example')
  const inFiles = (real.length > 0 ? real : set).map(({ name }) => name)
  const [name = usual] = [
    ...(isForeign ? [] : usualInFiles.filter(isUsed).map((one) => one.name)),
    ...byRank(inFiles.filter((one) => code.includes(one))),
    ...byRank(inFiles),
    ...(isForeign ? [] : code.filter((one) => one === usual)),
    // Code shows no value, so the name has to say what it is.
    ...byRank(code.filter((one) => /PG_|POSTGRES|NEON|SUPABASE/.test(one))),
    ...(isForeign ? [own] : []),
  ]
  // An example beside a real file is only an example.
  function isUsed({ file }: { file: string }): boolean {
    return file !== '.env.example' || real.length === 0
  }
  const named = variables.filter((one) => one.name === name).map(({ file }) => file)
  return {
    name,
    reason: reasonFor(name, named[0], code),
    isOnlyLocal: named.length > 0 && named.every((file) => file === '.env.local'),
  }
}

/** The text of a file that reads `DATABASE_URL`, with the name of the variable instead. */
export function withDatabase(text: string, { name }: FoundDatabase): string {
  const named = text.replaceAll(usual, name)
  if (name !== 'PGHOST') return named
  // The driver reads PGHOST and its like for each part that a URL leaves out.
  return named
    .replaceAll(`{ ${name}: url }`, `{ ${name} }`)
    .replaceAll('(url && { database: url })', `(${name} && { database: 'postgres://' })`)
}

function reasonFor(name: string, file: string | undefined, code: string[]): string | undefined {
  if (name === usual) return undefined
  if (file !== undefined) return `as in ${file}`
  return code.includes(name) ? 'as in your code' : `because ${usual} is not of PostgreSQL`
}

/** The variables of the .env files that have a value. */
function readVariables(folder: string): { file: string; name: string; value: string }[] {
  return files.flatMap((file) =>
    Object.entries(parseEnv(readThere(folder, file) ?? ''))
      .map(([name, value = '']) => ({ file, name, value }))
      .filter(({ value }) => value !== ''),
  )
}

/** The names in capitals in the code, as variables have them. */
function namesInCode(folder: string): string[] {
  const texts = [
    ...readSources(folder).map(({ text }) => withoutNotes(text)),
    ...schemas.map((path) => withoutNotes(readThere(folder, path) ?? '')),
  ]
  return [...new Set(texts.flatMap((text) => text.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []))]
}

const schemas = ['schema.prisma', 'prisma/schema.prisma', 'drizzle.config.ts']

/** Whether the schema of an ORM is for another kind of database. */
function hasForeignSchema(folder: string): boolean {
  const foreign = /^\s*(?:provider|dialect)\s*[=:]\s*['"](?:mysql|sqlite|sqlserver|mongodb|turso)/m
  return schemas.some((path) => foreign.test(readThere(folder, path) ?? ''))
}

function byRank(names: string[]): string[] {
  return otherNames.flatMap((form) => names.filter((name) => form.test(name)))
}

function isOfPostgres({ name, value }: { name: string; value: string }): boolean {
  return /^postgres(?:ql)?:\/\//.test(value) || name === 'PGHOST'
}

/** Whether a value is a URL of MySQL, SQLite and the like. A folder of `file:` is of the kit. */
function isOfAnotherKind(value: string): boolean {
  if (/\.(?:db|sqlite3?)(?:\?|$)/.test(value)) return true
  if (value.startsWith('file:')) return false
  return /^(?!postgres(?:ql)?:)[a-z][a-z0-9+.]*:/i.test(value)
}
