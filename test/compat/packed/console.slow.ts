import { describe, expect, it } from 'vitest'
import { readProgram, useProject } from './project.ts'

describe('a project with the console', () => {
  const project = useProject('console', {
    type: 'module',
    packages: ['core', 'console', 'database', 'inbox'],
    files: { 'app.js': readProgram('console-app.mjs') },
  })

  it('installs the built page without its build tools', async () => {
    const installed = await project.installed()
    expect(installed.filter((name) => ['preact', 'vite'].includes(name))).toEqual([])
  })

  it('serves its page, its files and its inbox', async () => {
    const { code, stdout, stderr } = await project.run('node', 'app.js')
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        'page 200\nicon 200\nstyle 200\nscript 200\nentries 200 {"entries":[],"next":null,"searchedBackTo":null}\n',
      stderr: '',
    })
  })
})
