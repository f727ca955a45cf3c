import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { isOnCitus } from '../../../../test/support/databases.ts'
import { runSql, setForDatabase } from '../../../../test/support/postgres.ts'
import { createCopy } from '../../../../test/support/templates.ts'
import { openDatabase } from '@feed-receiver/database'
import { extendInbox, withContext, type InboxExtension } from '../extend.ts'
import { createInbox } from '../index.ts'
import { findDatabaseWarnings } from '../internal.ts'
import { sequenceCheck, serverChecks, tableChecks } from './database-checks.ts'

/** An entry as logical replication copies it: without a value of the sequence. */
const copied = `insert into feed_inbox.entry overriding system value
  select 7, 'feed', 'evt_copied', 'done', null, null, null, '{}', 't', 'p', 'c', null, null, 't',
    'c', now(), now()`
const setTo = (value: number, isCalled: boolean) =>
  `select setval('feed_inbox.entry_id_seq', ${value}, ${isCalled})`

interface Broken {
  /** The check that finds it; without one the statement of a delivery does. */
  check?: string
  /** What an administrator or a tool did to a working inbox. */
  sql: string
  says: RegExp
}

const notes: InboxExtension = {
  name: 'notes',
  migrations: {
    '0001-notes.sql': `create table note (id bigint generated always as identity, text text);
      create table unlisted (text text)`,
  },
  tables: { note: ['select', 'insert', 'delete'] },
}

const brokenNotes: Record<string, Pick<Broken, 'sql' | 'says'>> = {
  'revoked privileges': {
    sql: 'revoke insert, update, delete on feed_inbox.note from ROLE; revoke all on feed_inbox.unlisted from ROLE',
    says: /lacks insert, delete on feed_inbox\.note, .*: grant insert, delete on feed_inbox\.note to app_\w+; /,
  },
  'row security': {
    sql: 'alter table feed_inbox.note enable row level security',
    says: /Row security may hide rows of note /,
  },
  'a dropped table': {
    sql: 'drop table feed_inbox.note',
    says: /has lost note,.*inboxSql/,
  },
  'a sequence behind its table': {
    sql: 'insert into feed_inbox.note overriding system value values (7)',
    says: /next id of note is taken.*setval/,
  },
}

const all = [...serverChecks, ...tableChecks, sequenceCheck('', [])]

const broken: Record<string, Broken> = {
  'a dropped table of the queue': {
    sql: 'drop table feed_inbox.job cascade',
    says: /feed_inbox.*job.*inboxSql/,
  },
  'a dropped side table': {
    check: 'missing table',
    sql: 'drop table feed_inbox.rejection',
    says: /has lost rejection.*inboxSql/,
  },
  'a dropped column': {
    sql: 'alter table feed_inbox.entry drop column signed_by',
    says: /column "signed_by".*does not exist/,
  },
  'a missing unique constraint': {
    sql: 'alter table feed_inbox.entry drop constraint entry_source_event_id_key',
    says: /no unique or exclusion constraint/,
  },
  'a revoked privilege': {
    check: 'privileges',
    sql: 'revoke insert on feed_inbox.quarantine from ROLE',
    says: /lacks insert on feed_inbox\.quarantine, .*: grant insert on feed_inbox\.quarantine to app_\w+; /,
  },
  'revoked privileges to read and to delete': {
    sql: `revoke select on feed_inbox.effect from ROLE; revoke delete, update on feed_inbox.entry from ROLE;
      revoke delete on feed_inbox.job_common, feed_inbox.extension from ROLE`,
    says: /: grant select on feed_inbox\.effect to (app_\w+); grant update, delete on feed_inbox\.entry to \1; grant delete on feed_inbox\.job_common to \1; /,
  },
  'row security': {
    check: 'row security',
    sql: `alter table feed_inbox.entry enable row level security;
      create policy most_rows on feed_inbox.entry using (title <> '') with check (true)`,
    says: /Row security may hide rows of entry.*create policy/,
  },
  'row security without a policy for one command': {
    sql: `alter table feed_inbox.entry enable row level security;
      create policy seen on feed_inbox.entry for select using (true);
      create policy stored on feed_inbox.entry for insert with check (true);
      create policy changed on feed_inbox.entry for update using (true)`,
    says: /Row security may hide rows of entry/,
  },
  'row security with a policy for another role': {
    sql: `alter table feed_inbox.entry enable row level security;
      create policy every_row on feed_inbox.entry to pg_monitor using (true) with check (true)`,
    says: /Row security may hide rows of entry/,
  },
  'a restrictive policy': {
    sql: `alter table feed_inbox.entry enable row level security;
      create policy every_row on feed_inbox.entry using (true) with check (true);
      create policy not_all on feed_inbox.entry as restrictive using (title <> '')`,
    says: /Row security may hide rows of entry.*restrictive/,
  },
  'an unlogged table': {
    check: 'unlogged table',
    sql: 'alter table feed_inbox.entry_body set unlogged',
    says: /empties entry_body.*set logged/,
  },
  'a sequence behind its table': {
    check: 'sequence',
    sql: copied,
    says: /next id of entry is taken.*setval/,
  },
  'a sequence whose next value is the last id': {
    sql: `${copied}; ${setTo(7, false)}`,
    says: /next id of entry is taken.*setval/,
  },
  'a database that accepts only reads': {
    check: 'read only',
    sql: '',
    says: /accepts only reads.*reset default_transaction_read_only/,
  },
}

// Citus places the tables elsewhere, and its coordinator knows other privileges.
describe.skipIf(isOnCitus('postgres'))('the start of an inbox', () => {
  const role = `app_${randomBytes(4).toString('hex')}`

  beforeAll(() => runSql(inject('postgresUrl'), `create role ${role} login`))
  afterAll(() => runSql(inject('postgresUrl'), `drop role ${role}`))

  async function makeInbox(sql: string, extension?: InboxExtension) {
    const made = await createCopy('inbox')
    onTestFinished(() => made.drop())
    if (extension) await start(made.url, { migrate: true, extension })
    const grants = ['tables', 'sequences', 'functions'].map(
      (kind) => `grant all on all ${kind} in schema feed_inbox to ${role};`,
    )
    await runSql(made.url, `grant usage on schema feed_inbox to ${role}; ${grants.join(' ')}`)
    if (sql !== '') await runSql(made.url, sql.replaceAll('ROLE', role))
    const url = new URL(made.url)
    url.username = role
    return { owner: made.url, url: url.href }
  }

  interface Starting {
    migrate?: boolean
    extension?: InboxExtension
  }

  async function start(database: string, { migrate = false, extension }: Starting = {}) {
    await using inbox = createInbox({ database, migrate })
    if (extension) extendInbox(inbox, extension)
    await inbox.start()
    return await inbox.accept(deliveryOf(makeEvent()))
  }

  it('succeeds as a role with the privileges on the tables', async () => {
    const { url } = await makeInbox('')
    expect(await start(url)).toBe('stored')
  })

  it.each([
    [
      'row security whose policies let every row pass',
      `do $$ declare one text; begin
         for one in select relname from pg_class where relnamespace = 'feed_inbox'::regnamespace
           and relkind in ('r', 'p') loop
           execute format('alter table feed_inbox.%I enable row level security', one);
           execute format('create policy p on feed_inbox.%I using (true) with check (true)', one);
         end loop;
         drop policy p on feed_inbox.entry;
         create policy s on feed_inbox.entry for select to ROLE using (true);
         create policy i on feed_inbox.entry for insert with check (true);
         create policy u on feed_inbox.entry for update using (true);
         create policy d on feed_inbox.entry for delete using (true);
       end $$`,
    ],
    [
      'a sequence that was restarted after a copy',
      `${copied}; alter table feed_inbox.entry alter id restart with 8`,
    ],
    ['a sequence that was set after a copy', `${copied}; ${setTo(8, false)}`],
  ])('succeeds with %s', async (_, sql) => {
    const { url } = await makeInbox(sql)
    expect(await start(url)).toBe('stored')
  })

  it.each(Object.entries(broken))('names %s and its fix', async (name, { sql, says }) => {
    const { owner, url } = await makeInbox(sql)
    if (name.includes('only reads')) {
      await setForDatabase(owner, 'default_transaction_read_only', 'on')
    }
    await expect(start(url)).rejects.toMatchObject({
      name: 'InboxError',
      message: expect.stringMatching(says),
    })
  })

  it('succeeds with the privileges that an extension needs on its tables', async () => {
    const { url } = await makeInbox('revoke update on feed_inbox.note from ROLE', notes)
    expect(await start(url, { extension: notes })).toBe('stored')
  })

  it.each(Object.entries(brokenNotes))(
    'names %s of an extension and its fix, also after the start',
    async (_, { sql, says }) => {
      const { url } = await makeInbox(sql, notes)
      const error = { code: 'unfit_database', message: expect.stringMatching(says) }
      await expect(start(url, { extension: notes })).rejects.toMatchObject(error)
      await using inbox = createInbox({ database: url, migrate: false })
      await inbox.start()
      extendInbox(inbox, notes)
      await expect(withContext(inbox, async () => {})).rejects.toMatchObject(error)
    },
  )

  it('rejects another encoding than UTF8', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`
    const server = inject('postgresUrl')
    const made = `create database ${name} encoding 'LATIN1' locale 'C' template template0`
    await runSql(server, made)
    onTestFinished(() => runSql(server, `drop database ${name}`))
    const url = new URL(server)
    url.pathname = `/${name}`
    const inbox = createInbox({ database: url.href })
    await expect(inbox.start()).rejects.toMatchObject({
      code: 'unfit_database',
      message: expect.stringMatching(/encoding LATIN1.*create database … encoding 'UTF8'/),
    })
  })

  it('names what is missing to a role that may migrate, too', async () => {
    const { owner } = await makeInbox('drop table feed_inbox.job cascade')
    const inbox = createInbox({ database: owner, onError: () => {} })
    await expect(inbox.start()).rejects.toMatchObject({
      code: 'damaged_tables',
      message: expect.stringMatching(/job.* does not exist.*inboxSql/),
      cause: { code: '42P01' },
    })
  })

  it('sends a role that may not upgrade the queue to the owner', async () => {
    const { owner, url } = await makeInbox('update feed_inbox.version set version = version - 1')
    await runSql(owner, `grant create on schema feed_inbox to ${role}`)
    const inbox = createInbox({ database: url, onError: () => {} })
    await expect(inbox.start()).rejects.toMatchObject({
      code: 'damaged_tables',
      message: expect.stringMatching(/must be owner.*Start once as the owner.*inboxSql\(\)/),
      cause: { code: '42501' },
    })
  })

  it('starts with settings that only weaken a server, and finds warnings of them', async () => {
    const { owner } = await makeInbox('')
    await setForDatabase(owner, 'idle_in_transaction_session_timeout', '5000')
    expect(await start(owner)).toBe('stored')
    await using database = openDatabase(owner)
    const warnings = await findDatabaseWarnings(database)
    expect(warnings).toEqual([
      expect.stringMatching(/fsync and full_page_writes off, .* unless your host keeps/),
      expect.stringMatching(/^idle_in_\w+ is 5000 ms, .* set idle_in_\w+_timeout to 0$/),
    ])
  })

  it('advises to set each timeout that was found', () => {
    const fix = serverChecks.find(({ name }) => name === 'idle timeout')?.fix
    expect(typeof fix === 'function' && fix('transaction_timeout is 9 ms')).toBe(
      'Run: alter role {role} set transaction_timeout to 0',
    )
    expect(typeof fix === 'function' && fix('one is 9 ms and other is 1 ms')).toMatch(
      / set one to 0; alter role \{role\} set other to 0$/,
    )
  })

  it('warns of a collation whose version differs from that of the system', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`
    const server = inject('postgresUrl')
    const kind = `encoding 'UTF8' locale_provider icu icu_locale 'en' locale 'C' template template0`
    await runSql(server, `create database ${name} ${kind}`)
    onTestFinished(() => runSql(server, `drop database ${name}`))
    await runSql(server, `update pg_database set datcollversion = '0.1' where datname = '${name}'`)
    const url = new URL(server)
    url.pathname = `/${name}`
    await using database = openDatabase(url.href)
    const warnings = await findDatabaseWarnings(database)
    expect(warnings).toContainEqual(expect.stringMatching(/has version 0\.1,.*reindex database/))
  })

  it('is described with each check in the guide to deploying', () => {
    const guide = readFileSync(
      new URL('../../../../docs/guides/deploy.md', import.meta.url),
      'utf8',
    )
    for (const { name, verdict } of all) {
      expect(guide).toMatch(
        new RegExp(`\\| ${name} .*\\| ${verdict === 'rejected' ? 'rejects' : 'warns'} `),
      )
    }
  })

  it('has a case for each check that rejects', () => {
    const rejected = all.filter(({ verdict }) => verdict === 'rejected').map(({ name }) => name)
    const cases = Object.values(broken).flatMap(({ check }) => check ?? [])
    expect([...cases, 'encoding'].toSorted()).toEqual(rejected.toSorted())
  })
})
