import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCopy } from '../../../../test/support/templates.ts'
import { startCli } from '../../test/start-cli.ts'
import { startApp } from './start-app.ts'

/** Writes its process id, and then that it was asked to stop. */
const app = `
  const { writeFileSync } = require('node:fs')
  process.on('SIGTERM', () => {
    writeFileSync('stopped', 'once')
    process.exit()
  })
  writeFileSync('pid', String(process.pid))
  setInterval(() => {}, 1_000)`

// Without `exec`, and not as its last command, so that the shell does not pass on signals.
const inShell = ['sh', '-c', 'node app.cjs; exit 0']

/** Leaves a zombie in its group, whose parent is in another group and never reaps it. */
const zombie = `
  my $group = getpgrp;
  if (fork) { sleep 60; exit }
  setpgrp(0, 0);
  if (fork == 0) { setpgrp(0, $group); exit }
  sleep 1;
  open(my $file, '>', "$ARGV[0].new"); print $file $$; close $file;
  rename("$ARGV[0].new", $ARGV[0]);
  sleep 120`

describe('the command after dev --', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops with every process on %s',
    async (signal) => {
      const { cwd, pid, start } = await makeFolder()
      const dev = start('0')
      await dev.line(/The feed service runs beside your app/)
      const running = await pid()
      dev.kill(signal)
      expect(await dev.ended).toBe(0)
      expect(() => process.kill(running, 0)).toThrow('ESRCH')
      expect(await readFile(join(cwd, 'stopped'), 'utf8')).toBe('once')
    },
    60_000,
  )

  it('stops if the port of dev is in use', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { cwd, start } = await makeFolder()
    const dev = start(String(port))
    expect(await dev.ended).toBe(1)
    // It may have been stopped before it could write its id.
    const running = await readFile(join(cwd, 'pid'), 'utf8').catch(() => '')
    if (running !== '') expect(() => process.kill(Number(running), 0)).toThrow('ESRCH')
  }, 60_000)

  it.skipIf(process.platform === 'win32')(
    'stops after dev was killed',
    async () => {
      const { cwd, pid, start } = await makeFolder()
      const dev = start('0')
      await dev.line(/The feed service runs beside your app/)
      const running = await pid()
      dev.kill('SIGKILL')
      const isRunning = () => {
        try {
          return process.kill(running, 0)
        } catch {
          return false
        }
      }
      await expect.poll(isRunning, { timeout: 15_000 }).toBe(false)
      expect(existsSync(join(cwd, 'stopped'))).toBe(true)
    },
    60_000,
  )

  // macOS does not count a zombie as a process of its group.
  it.runIf(process.platform === 'linux')(
    'stops although nothing reaps a process of its group',
    async () => {
      const { cwd } = await makeFolder()
      const file = join(cwd, 'parent')
      const started = await startApp(['perl', '-e', zombie, file], process.env)
      await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true)
      const parent = Number(await readFile(file, 'utf8'))
      onTestFinished(() => void process.kill(parent, 'SIGKILL'))
      await started[Symbol.asyncDispose]()
      expect(process.kill(parent, 0)).toBe(true)
    },
    40_000,
  )
})

async function makeFolder() {
  const cwd = await mkdtemp(join(tmpdir(), 'dev-app-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  await writeFile(join(cwd, 'app.cjs'), app)
  const { url, drop } = await createCopy('nothing')
  onTestFinished(drop)
  const file = join(cwd, 'pid')
  return {
    cwd,
    start: (port: string) =>
      startCli(['dev', '--port', port, '--feed', url, '--', ...inShell], { cwd }),
    async pid() {
      await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true)
      return Number(await readFile(file, 'utf8'))
    },
  }
}
