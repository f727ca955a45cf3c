import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { readProgram, useProject } from './project.ts'

const webpackConfig = `module.exports = (environment) => ({
  // A bundle for production would not start on the embedded database.
  mode: 'none',
  target: 'node20',
  entry: './app.js',
  output: { path: __dirname + '/out', filename: environment.out },
  externals: environment.external ? { [environment.external]: 'commonjs ' + environment.external } : {},
})
`

describe('a bundled app', () => {
  const project = useProject('bundlers', {
    type: 'commonjs',
    packages: ['core', 'database', 'inbox'],
    others: ['esbuild@^0.28', 'webpack@^5', 'webpack-cli@^7'],
    files: {
      'app.js': readProgram('bundled.cjs'),
      'webpack.config.js': webpackConfig,
      'event.json': JSON.stringify(fixture('outage_started')),
    },
  })
  const pglite = '@electric-sql/pglite'
  const esbuild = ['app.js', '--bundle', '--platform=node', '--log-level=error']

  it('uses the embedded database if esbuild keeps PGlite out of the bundle', async () => {
    const args = [...esbuild, `--external:${pglite}`, '--outfile=out/esbuild.js']
    expect(await project.run('node_modules/.bin/esbuild', ...args)).toMatchObject({ code: 0 })
    expect(await project.run('node', 'out/esbuild.js')).toMatchObject({ code: 0, stdout: '202\n' })
  })

  it('names the missing file of PGlite if esbuild bundles it', async () => {
    const args = [...esbuild, '--outfile=out/whole.js']
    expect(await project.run('node_modules/.bin/esbuild', ...args)).toMatchObject({ code: 0 })
    expect(await project.run('node', 'out/whole.js')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^pglite_missing .*cannot load pglite\.wasm.*external/),
    })
  })

  it.each([
    ['in the bundle', []],
    ['beside it', ['--env', `external=${pglite}`]],
  ])('uses the embedded database if webpack leaves PGlite %s', async (_, flags) => {
    const args = ['--env', 'out=webpack.js', ...flags]
    expect(await project.run('node_modules/.bin/webpack', ...args)).toMatchObject({ code: 0 })
    await project.run('rm', '-r', '.feed-receiver')
    expect(await project.run('node', 'out/webpack.js')).toMatchObject({ code: 0, stdout: '202\n' })
  })
})
