import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../test/support/databases.ts'
import { checkpointIfDue } from './pglite-statements.ts'

it('creates a checkpoint only once the log has grown', async () => {
  const { target, drop } = await createTarget('pglite')
  if (typeof target === 'string') throw new Error('not a folder')
  onTestFinished(drop)
  await using lite = await PGlite.create(join(target.folder, 'data'))

  const first = await lastCheckpoint()
  await checkpointIfDue(lite)
  expect(await lastCheckpoint()).toBe(first)
  await lite.exec(`select pg_logical_emit_message(false, 'test', repeat('x', 40000000))`)
  await checkpointIfDue(lite)
  const second = await lastCheckpoint()
  expect(second).not.toBe(first)
  await checkpointIfDue(lite)
  expect(await lastCheckpoint()).toBe(second)

  async function lastCheckpoint(): Promise<string | undefined> {
    const { rows } = await lite.query<{ lsn: string }>(
      'select redo_lsn::text as lsn from pg_control_checkpoint()',
    )
    return rows[0]?.lsn
  }
})
