import { createClient } from '@feed-receiver/client'
import { adviseOnModel } from './advise-on-model.ts'
import { tellOutages } from './tell-outages.ts'

// The models that the agent's project depends on: ids, or curated aliases.
const models = process.argv.slice(2)

const client = createClient({
  baseUrl: process.env.FEED_URL ?? 'http://localhost:4010',
  apiKey: process.env.FEED_API_KEY,
})
const tools = await client.mcp()
for (const model of models) console.log(await adviseOnModel(tools, model))
console.log(await tellOutages(tools))

const { usage } = client
if (usage) console.log(`${usage.requests} of ${usage.limit} requests used in ${usage.period}`)
await tools.close()
