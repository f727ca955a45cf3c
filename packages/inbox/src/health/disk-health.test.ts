import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { mayMount, mountedDisk } from '../../../../test/support/small-disk.ts'
import { createInbox } from '../index.ts'

it.runIf(mayMount())(
  'names the folder and the free space of a full disk',
  async () => {
    const disk = await mountedDisk()
    onTestFinished(() => disk.drop())
    const folder = join(disk.folder, 'database')
    await using inbox = createInbox({ database: { folder } })
    await inbox.start()
    disk.fill(process.pid)
    expect(await inbox.health()).toMatchObject({
      ok: false,
      database: 'down',
      error: 'disk_full',
      problems: [
        {
          code: 'disk_full',
          message: expect.stringMatching(new RegExp(`disk of ${folder} has 1\\.\\d MiB free`)),
        },
      ],
    })
    disk.free(process.pid)
    expect(await inbox.health()).toMatchObject({ ok: true, database: 'up', problems: [] })
  },
  120_000,
)
