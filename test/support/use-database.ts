import { createInterface } from 'node:readline'
import { openDatabase } from '@feed-receiver/database'

// Usage: use-database.ts <url or folder>. Runs each line it is sent as SQL and prints the rows, or the
// error, as JSON. `migrate <schema> <folder>` and `exit` are commands of its own.
const [target = ''] = process.argv.slice(2)
const database = openDatabase(target.startsWith('postgres') ? target : { folder: target })

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'exit') process.exit()
  console.log(JSON.stringify(await run(line).catch(describe)))
}

async function run(line: string): Promise<unknown> {
  const [command, schema = '', folder = ''] = line.split(' ')
  if (command === 'migrate') return await database.migrate(folder, { schema })
  return (await database.query(line)).rows
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return { message: error.message, code: Reflect.get(error, 'code') }
}
