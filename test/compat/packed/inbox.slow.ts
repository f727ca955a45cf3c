import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { readProgram, useProject, type ProjectOptions } from './project.ts'

const { id } = fixture('outage_started')
const handled = { code: 0, stdout: `delivered\nhandled ${id}\n`, stderr: '' }
const pglite = '@electric-sql/pglite'

const options: ProjectOptions = {
  type: 'module',
  packages: ['core', 'database', 'express', 'inbox', 'sender'],
  others: ['express@^5'],
  files: { 'app.js': readProgram('inbox-app.mjs') },
}

describe('a project with the inbox', () => {
  const project = useProject('inbox', options)

  it('has the embedded database', async () => {
    expect(await project.installed()).toContain(pglite)
  })

  it('stores a delivery in it, and handles the event', async () => {
    expect(await project.run('node', 'app.js')).toEqual(handled)
  })
})

describe('a project with the inbox, installed with --omit=optional', () => {
  const project = useProject('inbox-without-optional', {
    ...options,
    installOptions: ['--omit=optional'],
  })
  let advice = ''

  it('has no embedded database', async () => {
    expect(await project.installed()).not.toContain(pglite)
  })

  it('exits with the command to install it', async () => {
    const { code, stdout, stderr } = await project.run('node', 'app.js')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('The embedded database needs PGlite, which is not installed. Run `npm')
    advice = /Run `npm (install [^`\s]+)`/.exec(stderr)?.[1] ?? ''
  })

  it('works once it is installed', async () => {
    expect((await project.run('npm', ...advice.split(' '))).code).toBe(0)
    expect(await project.run('node', 'app.js')).toEqual(handled)
  })
})
