import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientError } from '@feed-receiver/client'
import { ConsoleError } from '../../../packages/console/src/errors.ts'
import { FeedReceiverError } from '@feed-receiver/core'
import { DatabaseError } from '@feed-receiver/database'
import { InboxError } from '@feed-receiver/inbox'
import { OperateError } from '../../../packages/operate/src/errors.ts'
import { SandboxError } from '../../../packages/sandbox/src/errors.ts'
import { SenderError } from '@feed-receiver/sender/internal'
import { ShardError } from '../../../packages/shards/src/errors.ts'
import { expect, it } from 'vitest'
import { renderErrors } from '../../../docs/.vitepress/reference/errors.ts'
import { root } from '../check/workspaces.ts'

const workflow = readFileSync(join(root, '.github/workflows/docs.yml'), 'utf8')
const [, base = ''] = /DOCS_BASE: (\S+)/.exec(workflow) ?? []
const [, origin = ''] = /DOCS_ORIGIN: (\S+)/.exec(workflow) ?? []
const page = renderErrors()

it.each([
  ['core', new FeedReceiverError('bad_secret', 'The secret is empty.')],
  ['database', new DatabaseError('locked', 'The folder is in use.')],
  ['inbox', new InboxError('not_running', 'The inbox is not running.')],
  ['operate', new OperateError('not_sealed', 'A day is open.')],
  ['shards', new ShardError('no_citus', 'The database has no citus extension.')],
  ['client', new ClientError('bad_page', 'The page has no cursor.')],
  ['sender', new SenderError('sender_closed', 'The sender is closed.', { fix: 'Open one.' })],
  ['sandbox', new SandboxError('port_taken', 'The port is in use.')],
  ['console', new ConsoleError('page_missing', 'The page is missing.')],
])('links an error of %s to its entry on the site', (folder, { code, message }) => {
  expect(message).toMatch(/^[^:]+\. More: /)
  const [, link = ''] = / More: (\S+)$/.exec(message) ?? []
  expect(link).toBe(`${origin}${base}reference/errors#${folder}-${code}`)
  expect(page).toContain(`<a id="${folder}-${code}"`)
})
