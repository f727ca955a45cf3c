import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startProgram, type RunningProgram } from '../../../../test/support/start-program.ts'
import { smallDisks, type SmallDisk } from '../../../../test/support/small-disk.ts'

const program = new URL('../../../../test/support/use-database.ts', import.meta.url)

describe.each(smallDisks())(
  'the embedded database on %s',
  { timeout: 120_000 },
  (name, makeDisk) => {
    const isMounted = name.startsWith('a file system')
    let disk: SmallDisk
    let folder = ''
    let child: RunningProgram

    beforeAll(async () => {
      disk = await makeDisk()
      folder = join(disk.folder, 'database')
      child = startProgram(program, [folder])
    })
    afterAll(async () => {
      await child.stop('SIGKILL')
      await disk.drop()
    })

    it('names the space that the first start lacks, and starts once it is available', async () => {
      disk.fill(child.pid)
      const rejected = isMounted
        ? { code: 'disk_full', message: expect.stringMatching(/MiB free, .* needs 64\.0 MiB/) }
        : { code: 'bad_folder', message: expect.stringMatching(/could not be created/) }
      expect(await answerTo(child, 'select 1 as one')).toMatchObject(rejected)
      expect(existsSync(join(folder, 'lock'))).toBe(false)
      disk.free(child.pid)
      expect(await answerTo(child, 'select 1 as one')).toEqual([{ one: 1 }])
    })

    it('rejects while the disk is full, and keeps all committed data', async () => {
      await answerTo(child, 'create table kept (id int)')
      await answerTo(child, 'insert into kept values (1)')
      disk.fill(child.pid)
      const code = isMounted ? 'disk_full' : 'unavailable'
      for (let n = 0; n < 2; n += 1) {
        // Larger than the free space for the log (WAL).
        const write = `select pg_logical_emit_message(false, 'test', repeat('x', 20000000))`
        expect(await answerTo(child, write)).toMatchObject({ code })
      }
      disk.free(child.pid)
      await answerTo(child, 'insert into kept values (3)')
      expect(await answerTo(child, 'select id from kept order by id')).toEqual([
        { id: 1 },
        { id: 3 },
      ])
    })
  },
)

async function answerTo(child: RunningProgram, line: string): Promise<unknown> {
  child.send(line)
  return JSON.parse(await child.nextLine())
}
