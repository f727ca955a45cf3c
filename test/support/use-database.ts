import { createInterface } from 'node:readline'
import { openDatabase } from '@feed-receiver/database'

// Usage: use-database.ts <url or folder> [guest]. Runs each line of input as SQL, and prints the
// rows or the error as JSON. Other commands: `open <initial SQL>`, `migrate <schema> <folder>`,
// `hold <sql>`, `close`, `exit`.
const [target = '', role] = process.argv.slice(2)
const database = openDatabase(target.startsWith('postgres') ? target : { folder: target }, {
  isGuest: role === 'guest',
})

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'exit') process.exit()
  console.log(JSON.stringify(await run(line).catch(describe)))
}

async function run(line: string): Promise<unknown> {
  const [command, schema = '', folder = ''] = line.split(' ')
  if (command === 'open') {
    return await database.open({ initialSql: async () => line.slice('open '.length) })
  }
  if (command === 'migrate') return await database.migrate(folder, { schema })
  if (command === 'hold') return await hold(line.slice('hold '.length))
  if (command === 'close') return await database.close()
  return (await database.query(line)).rows
}

/** Runs a statement in a transaction that never ends. */
function hold(text: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const holding = database.tx(async (tx) => {
      resolve((await tx.query(text)).rows)
      await new Promise(() => undefined)
    })
    holding.catch(reject)
  })
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return { message: error.message, code: Reflect.get(error, 'code') }
}
