import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '../../../packages/database/src/index.ts'
import { migrations } from '../../../packages/inbox/src/schema/index.ts'
import { alertTables } from '../../../packages/operate/src/alerts/tables.ts'
import { auditTables } from '../../../packages/operate/src/audit/tables.ts'
import { code, page, plain, table } from './markdown.ts'

const schema = 'feed_inbox'
const extensions = [alertTables, auditTables]
/** The migrations of the inbox and of its extensions, by name. */
const all: [name: string, sql: string][] = [
  migrations,
  ...extensions.map((extension) => extension.migrations),
].flatMap((one) => Object.entries(one))

/** The tables of the inbox and its extensions as the migrations leave them, read from an embedded database. */
export async function renderTables(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-tables-'))
  const database = openDatabase({ folder })
  try {
    await database.migrate(migrations, { schema })
    for (const { name, migrations: added } of extensions) {
      await database.migrate(added, { schema, owner: name })
    }
    const names = tableNames()
    const parts = await Promise.all(names.map((name) => renderTable(database, name)))
    return page(
      'Tables',
      'The tables of the inbox and of @feed-receiver/operate in the schema feed_inbox, as the migrations leave them.',
      'Read them as you like. Write to them through the inbox only. The tables of pg-boss are in the same schema.',
      ...parts,
      '## Migrations',
      all.map(([name]) => `- ${code(name)}`).join('\n'),
    )
  } finally {
    await database.close()
    await rm(folder, { recursive: true })
  }
}

const creation = /((?:^--.*\n)*)^create table (?:if not exists )?(\w+)/gm

function tableNames(): string[] {
  return all.flatMap(([, sql]) => [...sql.matchAll(creation)].map(([, , name = '']) => name))
}

/** What the migration says of a table, in the comment above it. */
function aboutTable(name: string): string {
  const found = all
    .flatMap(([, sql]) => [...sql.matchAll(creation)])
    .find(([, , created]) => created === name)
  return (found?.[1] ?? '').replaceAll(/^-- ?/gm, '').trim()
}

interface Column {
  name: string
  type: string
  isNullable: boolean
  standard: string | null
}

async function renderTable(database: Database, name: string): Promise<string> {
  const { rows } = await database.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type,
       not attnotnull as "isNullable", pg_get_expr(adbin, adrelid) as standard
     from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid = $1::regclass and attnum > 0 and not attisdropped
     order by attnum`,
    [`${schema}.${name}`],
  )
  const columns = rows.map(({ name: column, type, isNullable, standard }) => [
    code(column),
    type,
    isNullable ? 'yes' : 'no',
    standard === null ? '' : code(standard),
  ])
  const about = plain(aboutTable(name))
  const parts = [`## ${name}`, about, table(['column', 'type', 'null', 'default'], columns)]
  return parts.filter((part) => part !== '').join('\n\n')
}
