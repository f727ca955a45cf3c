import { once } from 'node:events'
import { createSandbox } from '../src/index.ts'

// Arguments: the database and the session. Prints its address, and ends when its input does.
const [database = '', session = ''] = process.argv.slice(2)
const sandbox = createSandbox({
  database: database.includes('://') ? database : { folder: database },
  session,
  port: 0,
  historyDays: 0,
  encryptionKey: '5a'.repeat(32),
})
await sandbox.start()
console.log(sandbox.url)
process.stdin.resume()
await once(process.stdin, 'end')
await sandbox.stop()
