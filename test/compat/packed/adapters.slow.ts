import { describe, expect, it } from 'vitest'
import { useProject } from './project.ts'

const frameworks = ['express', 'fastify', 'hono', 'koa', 'next']
const databases = ['@electric-sql/pglite', '@feed-receiver/database', 'pg', 'pg-boss']

const adapters = [
  { name: 'express', framework: 'express@^5', exported: ['keepRawBody', 'toExpress'] },
  { name: 'fastify', framework: 'fastify@^5', exported: ['toFastify'] },
  { name: 'koa', framework: 'koa@^3', exported: ['toKoa'] },
]

describe.each(adapters)('a project with $name', ({ name, framework, exported }) => {
  const project = useProject(`adapter-${name}`, {
    type: 'module',
    packages: ['core', name],
    others: [framework],
  })

  it('installs no other framework and no database with its adapter', async () => {
    const installed = await project.installed()
    const allowed = [name, '@feed-receiver/core', `@feed-receiver/${name}`]
    expect(installed).toEqual(expect.arrayContaining(allowed))
    const unwanted = [...frameworks, ...databases].filter((other) => other !== name)
    expect(installed.filter((one) => unwanted.includes(one))).toEqual([])
  })

  it('can import the adapter', async () => {
    expect(await project.run(...importing(`@feed-receiver/${name}`))).toEqual(printed(exported))
  })
})

describe('a project without next', () => {
  const project = useProject('adapter-next', { type: 'module', packages: ['core', 'next'] })

  it('installs only core with the adapter for Next', async () => {
    const all = ['@feed-receiver/core', '@feed-receiver/next']
    expect(await project.installed()).toEqual(all)
  })

  it('can import the adapter', async () => {
    expect(await project.run(...importing('@feed-receiver/next'))).toEqual(printed(['toNext']))
  })
})

function importing(entry: string): [string, ...string[]] {
  const program = `import * as entry from '${entry}'; console.log(Object.keys(entry).join())`
  return ['node', '--input-type=module', '--eval', program]
}

function printed(names: string[]) {
  return { code: 0, stdout: `${names.join()}\n`, stderr: '' }
}
