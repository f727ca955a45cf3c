import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { haveApp } from '../test/have-app.ts'
import { readTemplate } from './adapt-template.ts'
import { frameworks, type Framework } from './context.ts'

const templates = new URL('../../../templates/', import.meta.url)
const forExpress = filesInRepository('express')
const source = ['--import', import.meta.resolve('tsx'), '--conditions=@feed-receiver/source']

describe.each(frameworks)('the template for %s', (framework) => {
  const own = filesInRepository(framework)
  const copied = readTemplate(framework)
  const added = [...copied].filter(([path]) => !own.has(path))

  it('contains its own files unchanged', () => {
    expect([...copied].filter(([path]) => own.has(path)).toSorted()).toEqual([...own].toSorted())
  })

  it('takes the others from the one for Express', () => {
    for (const [path, contents] of added) {
      const folder = framework === 'next' ? 'feed/' : 'src/'
      expect([path, contents.replace('feed/handlers.ts', 'src/handlers.ts')]).toEqual([
        path,
        forExpress.get(path.replace(folder, 'src/')),
      ])
    }
    const others = { express: 0, koa: 15, fastify: 15, next: 4, hono: 15, nest: 13 }
    expect(added).toHaveLength(others[framework])
  })
})

it.each(frameworks.slice(1))(
  'the template for %s repeats no file of the one for Express',
  (name) => {
    const own = [...filesInRepository(name)]
    expect(own.filter(([path, contents]) => forExpress.get(path) === contents)).toEqual([])
  },
)

describe('the .env file of an app', () => {
  const settings = new URL('express/src/settings.ts', templates)

  it('may begin with a byte order mark, and does not replace existing variables', () => {
    const text =
      '\uFEFFDATABASE_URL=file:first\nPORT=1\nFEED_SIGNING_SECRET=feed_whsec_of_the_file\n'
    const cwd = haveApp({}, { '.env': text })
    const code = `console.log(JSON.stringify((await import('${settings.href}')).settings))`
    const options = [...source, '--input-type=module', '--eval', code]
    const env = { PATH: process.env['PATH'], PORT: '2' }
    const { stdout } = spawnSync(process.execPath, options, { cwd, env, encoding: 'utf8' })
    expect(JSON.parse(stdout)).toEqual({
      secrets: ['feed_whsec_of_the_file'],
      databaseUrl: 'file:first',
      port: 2,
    })
  })

  it.each(['next/scripts/replay.ts', 'into/feed-route.ts'])(
    'is read by %s as by the settings of a template',
    (path) => {
      const reading = /^ *\/\/ Without the byte order mark.*\n.*\n.*\n.*\n/m
      const [expected = 'nothing'] = reading.exec(readFileSync(settings, 'utf8')) ?? []
      const [found = ''] = reading.exec(readFileSync(new URL(path, templates), 'utf8')) ?? []
      expect(found.replaceAll(/^ +/gm, '')).toBe(expected)
    },
  )
})

describe('the replay of a template', () => {
  const programs = { express: 'express/src/replay.ts', next: 'next/scripts/replay.ts' }

  it.each([
    ['--help', 0, programs.express],
    ['--halp', 2, programs.next],
  ])('does not treat %s as an address', (arg, status, program) => {
    const path = fileURLToPath(new URL(program, templates))
    const run = spawnSync(process.execPath, [...source, path, arg], { encoding: 'utf8' })
    expect(run).toMatchObject({ status, stdout: expect.stringMatching(/^npm run replay \[-- </) })
  })

  it('is the same for Next, except for the settings', () => {
    const [express = '', next = ''] = Object.values(programs).map((program) => {
      const text = readFileSync(new URL(program, templates), 'utf8')
      return text.slice(text.indexOf('const to = process.argv[2]'))
    })
    expect(next).toBe(express.replace('settings.port', 'PORT'))
    expect(next).toContain('URL.canParse(to)')
  })
})

/** The files of a template by their paths, without ignored ones. */
function filesInRepository(framework: Framework): Map<string, string> {
  const folder = new URL(`${framework}/`, templates)
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const paths = execFileSync('git', listed, { cwd: fileURLToPath(folder), encoding: 'utf8' })
  const files = paths.split('\0').filter(Boolean)
  return new Map(files.map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]))
}
