import { once } from 'node:events'
import { openDatabase } from '@feed-receiver/database'

// Prints a line per step, and waits for an input line before the next. Ends without closing.
const database = openDatabase()
console.log('made')
await once(process.stdin, 'data')
await database.open()
console.log('opened')
await once(process.stdin, 'data')
process.exit()
