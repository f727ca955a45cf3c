import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@feed-receiver/database'
import { createAudit } from '@feed-receiver/operate/audit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { filledKinds, type DatabaseKind } from '../../../test/support/databases.ts'
import { runMain } from '../test/run-main.ts'
import { startApp, useApp } from '../test/start-app.ts'

const secret = 'feed_whsec_audit0123456789abcdefghij'

// The days since the first event are sealed one by one, so an older month would take longer.
const month = previousMonth()
const lineToSign =
  /^Published 3, handled 3, 0 by pull only, stored twice 0\. Chain head (\w{64})\.$/m

/** A stopped app that handled three events on two days of the month, and the command beside it. */
async function startFilled(kind: DatabaseKind) {
  const app = await startApp({ kind, secret, extend: createAudit })
  await app.inbox.acceptPage([], { stream: 'all', at: new Date(`${month}-01T00:00:00Z`) })
  for (const day of ['12', '12', '14']) {
    const receivedAt = new Date(`${month}-${day}T10:00:00Z`)
    await app.inbox.accept({ ...deliveryOf(makeEvent()), receivedAt })
  }
  await app.inbox.acceptPage([], { stream: 'all', at: new Date() })
  await app.inbox.drain({ '*': () => {} })
  // An embedded database is open once in a process.
  await app.stop()
  const audit = (...args: string[]) =>
    runMain(['audit', '--month', month, ...args, ...app.databaseArguments])
  return { app, audit }
}

describe.each(filledKinds)('feed-receiver audit on %s', (kind) => {
  it('prints the line to sign, writes the report to a file, and compares a head', async () => {
    const { audit } = await startFilled(kind)
    const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-audit-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'statement.txt')
    const signed = await audit('--signed-by', 'Ana Lima', '--output', file)
    expect(signed).toMatchObject({ code: 0, stderr: '' })
    const [, head = ''] = lineToSign.exec(signed.stdout) ?? []
    const written = await readFile(file, 'utf8')
    expect(written).toMatch(lineToSign)
    expect(written).toContain('Signed by Ana Lima at ')
    expect(await audit('--output', file)).toMatchObject({ code: 2 })
    expect(await audit('--expect', head, '--output', file, '--force')).toMatchObject({ code: 0 })
    const days = await audit('--days')
    expect(days.stdout).toMatch(new RegExp(`^${month}-12 +2 +2 +0 +0 +\\w{64}$`, 'm'))
    expect(days.stdout).toMatch(/^Ana Lima +20/m)
    const json = await audit('--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ head, problems: [], pull: 'whole' })
    const other = await audit('--expect', '0'.repeat(64))
    expect(other).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('and 0000'),
    })
  })

  it('exits with 1 if a row was removed, and names the day', async () => {
    const { app, audit } = await startFilled(kind)
    expect(await audit()).toMatchObject({ code: 0 })
    const database = openDatabase(app.database)
    await database.query(
      `delete from feed_inbox.entry where id = (
         select min(id) from feed_inbox.entry where received_at < $1)`,
      [`${month}-13`],
    )
    await database.close()
    expect(await audit()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        `Day ${month}-12: sealed 2 entries, found 1; the chain differs.`,
      ),
    })
  })

  it('lets inbox prune delete entries, which the audit then knows', async () => {
    const { app } = await startFilled(kind)
    const prune = ['inbox', 'prune', '--rows-days', '7', '--yes', ...app.databaseArguments]
    expect(await runMain(prune)).toMatchObject({ code: 0, stderr: '' })
  })

  it('reports on the current month until now', async () => {
    const { audit } = await startFilled(kind)
    const current = ['--month', new Date().toISOString().slice(0, 7)]
    const run = await audit(...current)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain(' until now, ')
    expect(await audit(...current, '--signed-by', 'Ana')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Not all days of'),
    })
  })
})

describe('feed-receiver audit', () => {
  it('computes the heads with a read-only role', async () => {
    const app = await startApp({ kind: 'postgres', secret, extend: createAudit })
    const receivedAt = new Date(`${month}-12T10:00:00Z`)
    await app.inbox.accept({ ...deliveryOf(makeEvent()), receivedAt })
    const url = new URL(typeof app.database === 'string' ? app.database : '')
    const role = `reader_${url.pathname.slice(1)}`.slice(0, 60)
    await using database = openDatabase(url.href)
    await database.query(`create role "${role}" login password 'reader'`)
    onTestFinished(async () => {
      await using owner = openDatabase(url.href)
      await owner.query(`drop owned by "${role}"`)
      await owner.query(`drop role "${role}"`)
    })
    await database.query(`grant usage on schema feed_inbox to "${role}"`)
    await database.query(`grant select on all tables in schema feed_inbox to "${role}"`)
    const reader = new URL(url)
    reader.username = role
    reader.password = 'reader'
    const args = ['audit', '--month', month, '--json', '--database']
    const computed = await runMain([...args, reader.href])
    expect(computed).toMatchObject({ code: 1, stderr: '' })
    const [statement] = JSON.parse(computed.stdout).statements
    expect(statement).toMatchObject({ isReadOnly: true, isSealed: false })
    const sealed = JSON.parse((await runMain([...args, url.href])).stdout)
    expect(sealed).toMatchObject({ isSealed: true, head: statement.head })
  })
})

describe('feed-receiver audit without an audit', () => {
  const app = useApp({ kind: 'postgres', secret })

  it('says how to add it', async () => {
    expect(await runMain(['audit', ...app().databaseArguments])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('lacks tables of the extension audit. Add it to the app'),
    })
  })
})

describe('feed-receiver audit with wrong options', () => {
  const app = useApp({ kind: 'postgres', secret, extend: createAudit })

  it.each([
    [['--month', '2999-01'], /month: 2999-01 has not begun/],
    [['--expect', 'abc'], /expectedHead: use the 64/],
    [['--force'], /--force is for --output/],
  ])('rejects %j with exit code 2', async (args, message) => {
    const run = await runMain(['audit', ...args, ...app().databaseArguments])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })

  it.each(['March', '2026-13'])(
    'rejects the month %s before it opens the inbox',
    async (written) => {
      const run = await runMain(['audit', '--month', written])
      const message = expect.stringMatching(
        /^error: --month must be a year and a month, such as 2026/,
      )
      expect(run).toMatchObject({ code: 2, stderr: message })
    },
  )
})

/** The month before that of yesterday, because its last day is sealed some minutes after its end. */
function previousMonth(): string {
  const day = new Date(Date.now() - 86_400_000)
  day.setUTCDate(0)
  return day.toISOString().slice(0, 7)
}
