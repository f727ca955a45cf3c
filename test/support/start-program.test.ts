import { expect, it } from 'vitest'
import { killPrograms, startCommand } from './start-program.ts'

const start = (script: string, options = {}) =>
  startCommand(process.execPath, ['--eval', script], options)

it('reads lines one by one, or up to one with a text', async () => {
  const program = start(`console.log('one\\ntwo\\nthree'); console.error('and this')`)
  expect(await program.nextLine()).toBe('one')
  expect(await program.nextLine('hr')).toBe('three')
  await program.untilPrinted('and this')
  expect(await program.ended).toBe(0)
  expect(program.errors).toBe('and this\n')
  await expect(program.nextLine()).rejects.toThrow(/ended before it printed a line:\n.*one\ntwo/s)
})

it('writes lines to its input, and ends it by closing that', async () => {
  const program = start(`process.stdin.on('data', (data) => console.log('got ' + data))`, {
    hasInput: true,
  })
  program.send('this')
  expect(await program.nextLine()).toBe('got this')
  program.closeInput()
  expect(await program.ended).toBe(0)
})

it('stops child processes with their parent if they are a group', async () => {
  const program = startCommand('sh', ['-c', 'sleep 1000 & echo $!; wait'], { isGroup: true })
  const pid = Number(await program.nextLine())
  expect(await program.stop()).toBe('SIGTERM')
  await expect.poll(() => isRunning(pid)).toBe(false)
})

it('kills what still runs', async () => {
  const program = start('setInterval(() => {}, 1_000)')
  killPrograms()
  expect(await program.ended).toBe('SIGKILL')
})

it('reports a command that does not exist', async () => {
  const program = startCommand('no-such-command', [])
  await expect(program.nextLine()).rejects.toThrow('ENOENT')
  expect(program.pid).toBe(0)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
