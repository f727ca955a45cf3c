import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { readPackages } from '../../repo/check/workspaces.ts'
import { readProgram, useProject } from './project.ts'

const version = readPackages().get('cli')?.manifest.version
const { id } = fixture('outage_started')

describe('a project with the command', () => {
  const project = useProject('cli', {
    type: 'module',
    packages: [...readPackages().keys()],
    others: ['express@^5'],
    files: { 'app.js': readProgram('inbox-app.mjs') },
  })
  const command = (...args: string[]) => project.run('npx', '--no', '--', 'feed-receiver', ...args)

  it('runs the command by its name', async () => {
    expect(await command('--version')).toMatchObject({ code: 0, stdout: `${version}\n` })
  })

  it('shows the inbox of an app that ran there', async () => {
    expect(await project.run('node', 'app.js')).toMatchObject({ code: 0 })
    const { code, stdout } = await command('inbox', 'list', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ entries: [{ eventId: id, state: 'done' }] })
  })

  it('names a missing option in one line', async () => {
    const { code, stderr } = await command('send', 'outage_started', '--to', 'http://127.0.0.1:9')
    expect(code).toBe(1)
    expect(stderr).toContain('error: The signing secret is missing')
  })
})
