import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk that a test can fill and free, as the process with this pid sees it. */
export interface SmallDisk {
  readonly folder: string
  fill(pid: number): void
  free(pid: number): void
  drop(): Promise<void>
}

export type MakeDisk = () => Promise<SmallDisk>

/**
 * The disks that a test can use on this machine: always one whose files cannot grow, and a separate
 * file system if this process may mount one.
 */
export function smallDisks(): [string, MakeDisk][] {
  const always: [string, MakeDisk] = ['a disk on which no file can grow', limitedDisk]
  if (mayMount()) return [always, ['a file system of 120 MB', () => mountedDisk()]]
  console.warn(
    'This process may not mount: only a limit on the size of files stands for a full disk.',
  )
  return [always]
}

/**
 * The kernel stops files of the process from growing beyond the limit, whatever space the disk has.
 */
async function limitedDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-limited-'))
  return {
    folder,
    fill: (pid) => run('prlimit', '--pid', String(pid), '--fsize=1000000:unlimited'),
    // A process that has ended has no limit.
    free: (pid) => void spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited']),
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

export interface MountOptions {
  /** @default 120 */
  megabytes?: number
  /** What is left when the disk is full. @default 1,000,000 */
  spareBytes?: number
}

export async function mountedDisk({
  megabytes = 120,
  spareBytes = 1_000_000,
}: MountOptions = {}): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-mounted-'))
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(filler, Buffer.alloc(bavail * bsize - spareBytes))
    },
    free: () => rmSync(filler, { force: true }),
    async drop() {
      run('umount', '--lazy', folder)
      await rm(folder, { recursive: true })
    },
  }
}

export function mayMount(): boolean {
  // In its own mount namespace, which ends with the process.
  const command = ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', tmpdir()]
  return spawnSync('unshare', command).status === 0
}

function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
}
