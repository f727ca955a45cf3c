import { createSandbox } from '@feed-receiver/sandbox'

// A local copy of the service, stored in ./.feed-receiver/sandbox.
const sandbox = createSandbox({ port: 0 })
await sandbox.start()
const { key } = await sandbox.control.createKey({ accountId: 'acct_sandbox', name: 'agent' })
Object.assign(process.env, { FEED_URL: sandbox.url, FEED_API_KEY: key })
await import('./agent.ts')
await sandbox.stop()
