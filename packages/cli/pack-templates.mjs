// Creates the databases with which a new app and a new sandbox begin, for `dev` to install: creating
// them takes seconds.
import { chmod, cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInbox } from '@feed-receiver/inbox'
import { createSandbox } from '@feed-receiver/sandbox'

const temporary = await mkdtemp(join(tmpdir(), 'feed-receiver-templates-'))
process.env.XDG_CACHE_HOME = temporary
const inbox = createInbox({ database: { folder: join(temporary, 'inbox') } })
await inbox.start()
await inbox.stop()
const sandbox = createSandbox({ port: 0, database: { folder: join(temporary, 'sandbox') } })
await sandbox.start()
await sandbox.stop()

const to = new URL('dist/templates/', import.meta.url)
await rm(to, { recursive: true, force: true })
await cp(join(temporary, 'feed-receiver'), to, { recursive: true })
// In the cache they are readable to their user alone.
for (const name of await readdir(to)) await chmod(new URL(name, to), 0o644)
await rm(temporary, { recursive: true })
