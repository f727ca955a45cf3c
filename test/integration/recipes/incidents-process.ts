import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { createIncidents } from '../../../templates/recipes/incidents/index.ts'
import { createSlack } from '../../../templates/recipes/incidents/slack.ts'

// Usage: incidents-process.ts <database> <url of Slack> <token> <channel>. Works until it is killed.
const [target = '', url = '', token = '', channel = ''] = process.argv.slice(2)
const database = openDatabase(target)
const inbox = createInbox({ database, ordered: 'subject' })
await inbox.start()
await inbox.work(await createIncidents({ database, chat: createSlack({ token, channel, url }) }))
console.log('working')
