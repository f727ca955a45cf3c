import { createSandbox } from '../src/index.ts'

// Usage: sandbox-process.ts <database>. Prints the address once it listens, and ends with its input.
const [database = ''] = process.argv.slice(2)
const sandbox = createSandbox({ database, port: 0, historyDays: 0 })
await sandbox.start()
console.log(sandbox.url)
process.stdin.resume().on('end', () => void sandbox.stop())
