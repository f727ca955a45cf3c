/** Writes the pages of the reference that the kit's own tables, help and errors hold. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { renderAnswers } from './answers.ts'
import { renderCommands } from './commands.ts'
import { renderErrors } from './errors.ts'
import { renderOverview } from './overview.ts'
import { renderTables } from './tables.ts'

const folder = fileURLToPath(new URL('../../reference/generated/', import.meta.url))
const pages = {
  README: renderOverview(),
  cli: await renderCommands(),
  errors: renderErrors(),
  http: renderAnswers(),
  tables: await renderTables(),
}

mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(pages)) writeFileSync(`${folder}${name}.md`, text)
