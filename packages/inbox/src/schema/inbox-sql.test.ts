import { randomBytes } from 'node:crypto'
import { openDatabase } from '@feed-receiver/database'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTestDatabase, runSql, type TestDatabase } from '../../../../test/support/postgres.ts'
import { extendInbox, type InboxExtension } from '../extend.ts'
import { createInbox, inboxSql } from '../index.ts'

describe('an inbox created by an owner', () => {
  const suffix = randomBytes(4).toString('hex')
  const owner = `owner_${suffix}`
  const role = `app "${suffix}"`
  let made: TestDatabase
  const urlOf = (user: string) => {
    const url = new URL(made.url)
    url.username = encodeURIComponent(user)
    url.password = 'test'
    return url.href
  }

  beforeAll(async () => {
    made = await createTestDatabase({ url: inject('postgresUrl') })
    const [, name = ''] = new URL(made.url).pathname.split('/')
    await runSql(
      made.url,
      `create role ${owner} login password 'test'; grant create on database ${name} to ${owner};
       create role "app ""${suffix}""" login password 'test'`,
    )
  })
  afterAll(async () => {
    await made.drop()
    await runSql(inject('postgresUrl'), `drop role ${owner}; drop role "app ""${suffix}"""`)
  })

  it('says what to do if there are no tables yet', async () => {
    const inbox = createInbox({ database: urlOf(role), migrate: false })
    await expect(inbox.start()).rejects.toMatchObject({
      code: 'not_migrated',
      message: expect.stringContaining('0001-inbox.sql'),
    })
  })

  it('accepts, handles and retries as a role without DDL privileges', async () => {
    await runSql(urlOf(owner), await inboxSql({ role }))

    const warnings: unknown[] = []
    const inbox = createInbox({
      database: urlOf(role),
      migrate: false,
      onError: (error) => warnings.push(error),
    })
    await inbox.start()
    const event = makeEvent()
    const other = makeEvent({ type: 'nobody_handles' })
    await inbox.work({ model_release: () => {} })
    expect(await inbox.accept(deliveryOf(event))).toBe('stored')
    expect(await inbox.accept(deliveryOf(event))).toBe('duplicate')
    await inbox.accept(deliveryOf(other))
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
    await expect.poll(async () => (await inbox.entries.get(other.id))?.state).toBe('skipped')
    expect(await inbox.entries.retry({ ids: [other.id] })).toBe(1)
    await expect.poll(async () => (await inbox.entries.get(other.id))?.state).toBe('skipped')
    expect(await inbox.health()).toMatchObject({ ok: true })
    expect(await inbox.prune()).toEqual({ emptied: 0, deleted: 0 })
    await inbox.stop()
    expect(warnings).toEqual([])
  })

  it('gives that role no privilege to change a table', async () => {
    await using app = openDatabase(urlOf(role))
    const denied = { code: expect.stringMatching(/^42501$/) }
    for (const statement of [
      'create table feed_inbox.other (id integer)',
      'alter table feed_inbox.entry add column other integer',
      'drop table feed_inbox.entry',
      'truncate feed_inbox.entry',
      'drop table feed_inbox.job',
      'create schema other',
      'delete from feed_inbox.migration',
    ]) {
      await expect(app.query(statement)).rejects.toMatchObject(denied)
    }
  })

  it('has the same tables as after start, so an owner can migrate it later', async () => {
    const inbox = createInbox({ database: urlOf(owner) })
    await inbox.start()
    expect((await inbox.entries.list()).entries).toHaveLength(2)
    await inbox.stop()
  })

  it.each(['as SQL', 'by its start'])(
    'lets that role write the tables of an extension %s, but not the list of its migrations',
    async (how) => {
      const schema = how === 'as SQL' ? 'extended_by_sql' : 'extended_by_start'
      const notes: InboxExtension & Pick<Required<InboxExtension>, 'migrations'> = {
        name: 'notes',
        migrations: { '0001-notes.sql': 'create table note (text text);' },
        tables: { note: ['select', 'insert', 'update', 'delete'] },
      }
      const extensions = how === 'as SQL' ? [notes] : []
      await runSql(urlOf(owner), await inboxSql({ role, schema, extensions }))
      for (const options of [
        { database: urlOf(owner) },
        { database: urlOf(role), migrate: false },
      ]) {
        await using inbox = createInbox({ ...options, schema })
        extendInbox(inbox, notes)
        await inbox.start()
      }
      await using app = openDatabase(urlOf(role))
      for (const statement of [
        `insert into ${schema}.migration_notes values ('0002-notes.sql', '')`,
        `update ${schema}.migration_notes set sha256 = ''`,
        `delete from ${schema}.migration_notes`,
      ]) {
        await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' })
      }
    },
  )

  it('migrates itself in a schema of its own, without the privilege to create another', async () => {
    const schema = 'own_inbox'
    await runSql(
      urlOf(owner),
      `create schema ${schema}; grant usage, create on schema ${schema} to "app ""${suffix}"""`,
    )
    await using inbox = createInbox({ database: urlOf(role), schema })
    await inbox.start()
    const event = makeEvent()
    await inbox.work({ '*': () => {} })
    expect(await inbox.accept(deliveryOf(event))).toBe('stored')
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
    expect(await inbox.health()).toMatchObject({ ok: true })
  })

  it('rejects names that are invalid in SQL', async () => {
    await expect(inboxSql({ role: '' })).rejects.toMatchObject({ code: 'bad_option' })
    await expect(inboxSql({ role, schema: 'a"; drop' })).rejects.toMatchObject({
      code: 'bad_schema',
    })
  })
})
