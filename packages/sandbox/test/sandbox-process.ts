import { createSandbox } from '@feed-receiver/sandbox'
import { encryptionKey } from './encryption-key.ts'

// Usage: sandbox-process.ts <database> [session]. The database is a URL or a folder. Prints the address
// once it listens, and ends with its input.
const [database = '', session] = process.argv.slice(2)
const target = database.includes('://') ? database : { folder: database }
const sandbox = createSandbox({
  database: target,
  port: 0,
  historyDays: 0,
  encryptionKey,
  session,
})
await sandbox.start()
console.log(sandbox.url)
process.stdin.resume().on('end', () => void sandbox.stop())
