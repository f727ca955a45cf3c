import { accessFromEnv } from '@feed-receiver/console'
import { openDatabase } from '@feed-receiver/database'
import { startApp } from './app.ts'
import { settings } from './settings.ts'

const { databaseUrl, secrets, port } = settings
const access = accessFromEnv(process.env)
const app = await startApp({ database: openDatabase(databaseUrl), secrets, port, access })
const count = secrets.length === 1 ? '1 signing secret' : `${secrets.length} signing secrets`
console.log(`Listening on http://localhost:${app.port}/webhooks/feed, with ${count}`)
if (access) console.log(`Console: http://localhost:${app.port}/console/${access.hash}`)

process.once('SIGTERM', () => void app.stop())
process.once('SIGINT', () => void app.stop())
