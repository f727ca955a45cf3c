import { secretsFromEnv } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { handlersOn, startWorkers } from './jobs.ts'
import { startApp } from './start-app.ts'

const database = openDatabase(process.env.DATABASE_URL) // unset: embedded, in ./.feed-receiver
const app = await startApp({
  database,
  secrets: secretsFromEnv(process.env),
  port: process.env.PORT ?? 3000,
  handlers: (boss) => handlersOn(boss),
})
await startWorkers(app.boss, database, {
  async postToSlack(text) {
    const url = process.env.SLACK_WEBHOOK_URL
    if (url === undefined) return console.log(`Slack: ${text}`)
    const body = JSON.stringify({ text })
    const { status, ok } = await fetch(url, { method: 'POST', body })
    if (!ok) throw new Error(`Slack answered ${status}.`)
  },
  mail: async (subject, text) => console.log(`Mail: ${subject}\n${text}`),
})
process.once('SIGTERM', () => void app.stop())
