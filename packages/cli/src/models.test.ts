import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest'
import { useSandbox } from '../../sandbox/test/use-sandbox.ts'
import { createModelWatch } from '../../../templates/recipes/model-watch/index.ts'
import { createTarget, type TestTarget } from '../../../test/support/databases.ts'
import { runMain } from '../test/run-main.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'models-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('models, from the table of model-watch', () => {
  let target: TestTarget
  let database: Database
  let url = ''

  beforeAll(async () => {
    target = await createTarget('postgres')
    if (typeof target.target === 'string') url = target.target
    database = openDatabase(url)
    await createModelWatch({ database })
    await database.query(
      `insert into model_watch.fact values
         ('1', 'northwind-ai', 'zephyr-3', 'deprecated', '2026-09-18', '2026-12-17',
          '{zephyr-4}', 'https://n.example/zephyr-3', true, false),
         ('2', 'northwind-ai', 'zephyr-4', 'released', '2026-09-18', null, '{}',
          'https://n.example/zephyr-4', true, false),
         ('3', 'tessera', 'mosaic-0', 'removed', '2026-10-02', null, '{}',
          'https://t.example/mosaic-0', true, false),
         ('4', 'lumen-labs', 'embed-2', 'removed', '2026-10-02', null, '{}',
          'https://l.example/embed-2', true, false),
         ('5', 'northwind-ai', 'embed-2', 'listed', '2026-10-02', null, '{}',
          'https://n.example/embed-2', true, false)`,
    )
  })
  afterAll(async () => {
    await database.close()
    await target.drop()
  })

  it('prints files, lines, state, date and source of each model, and exits with 1', async () => {
    write('src/app.ts', "const model = 'zephyr-4'\nask({ model: 'zephyr-3' })\nask('zephyr-3')\n")
    write('config/.env', 'MODEL=mosaic-0\n')
    write('notes.md', 'Not `northwind-ai/embed-2`, but embed-2 or northwind-ai:zephyr-3.\n')
    write('other.md', 'model: "nobody-1"\n')
    expect(await run()).toEqual({
      code: 1,
      stdout: [
        'mosaic-0: removed by tessera, since 2026-10-02. Source: https://t.example/mosaic-0',
        '  config/.env:1',
        '',
        'northwind-ai:zephyr-3: deprecated by northwind-ai, effective 2026-12-17. Move to zephyr-4. Source: https://n.example/zephyr-3',
        '  notes.md:1',
        '',
        'zephyr-3: deprecated by northwind-ai, effective 2026-12-17. Move to zephyr-4. Source: https://n.example/zephyr-3',
        '  src/app.ts:2, 3',
        '',
        'embed-2: ambiguous, because several providers have it: lumen-labs, northwind-ai. Name one with --provider.',
        '  notes.md:1',
        '',
        'unknown   mentions  first',
        'nobody-1  1         other.md:1',
        '',
      ].join('\n'),
      stderr:
        '8 mentions of models in 4 files: 1 removed, 3 deprecated, 1 ambiguous, 1 unknown, 1 listed, 1 released.\n',
    })
  })

  it('reads a time that is no date', async () => {
    await database.query(
      `insert into model_watch.fact values ('6', 'tessera', 'mosaic-9', 'removed', 'infinity',
         '-infinity', '{}', 'https://t.example/mosaic-9', true, false)`,
    )
    write('.env', 'MODEL=mosaic-9\n')
    const { code, stdout } = await run()
    await database.query(`delete from model_watch.fact where event_id = '6'`)
    expect([code, stdout]).toEqual([
      1,
      'mosaic-9: removed by tessera, since infinity. Source: https://t.example/mosaic-9\n  .env:1\n',
    ])
  })

  it('lists all of many unknown models only with --all', async () => {
    write('app.yml', Array.from({ length: 22 }, (_, at) => `model: nobody-${at}\n`).join(''))
    const { code, stdout } = await run()
    expect(code).toBe(0)
    expect(stdout).toMatch(/nobody-19 .*\n\n--all lists 2 more unknown models\.\n$/)
    expect((await run('--all')).stdout).toMatch(/nobody-21 .*app\.yml:22\n$/)
  })

  it('prints annotations for GitHub', async () => {
    write('src/a,b.ts', 'ask("zephyr-3", "mosaic-0", "embed-2", "zephyr-4")\n')
    const { stdout } = await run('--format', 'github')
    expect(stdout.split('\n')).toEqual([
      '::warning file=src/a%2Cb.ts,line=1,col=6,title=zephyr-3 is deprecated::deprecated by northwind-ai, effective 2026-12-17. Move to zephyr-4. Source: https://n.example/zephyr-3',
      '::error file=src/a%2Cb.ts,line=1,col=18,title=mosaic-0 is removed::removed by tessera, since 2026-10-02. Source: https://t.example/mosaic-0',
      '::notice file=src/a%2Cb.ts,line=1,col=30,title=Ambiguous model::ambiguous, because several providers have it: lumen-labs, northwind-ai. Name one with --provider.',
      '',
    ])
  })

  it('exits with 0 if nothing is deprecated, and decides by the provider', async () => {
    write('app.ts', '"embed-2" "zephyr-4"')
    expect(await run('--provider', 'northwind-ai', '--all')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/embed-2: listed by northwind-ai.*\n.*\n\nzephyr-4: released /),
    })
    expect(await run('--provider', 'lumen-labs')).toMatchObject({ code: 1 })
  })

  it('prints JSON', async () => {
    write('app.ts', '"mosaic-0"')
    const { stdout } = await run('--json')
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      files: 1,
      mentions: [
        {
          result: 'found',
          provider: 'tessera',
          model: 'mosaic-0',
          state: 'removed',
          since: '2026-10-02T00:00:00.000Z',
          effectiveAt: null,
          replacements: [],
          sourceUrl: 'https://t.example/mosaic-0',
          path: 'app.ts',
          line: 1,
          column: 2,
        },
      ],
    })
  })

  it('skips packages, version control, binary and huge files', async () => {
    write('node_modules/a/index.js', '"mosaic-0"')
    write('.git/config', '"mosaic-0"')
    write('image.png', '\0"mosaic-0"')
    write('huge.json', `"mosaic-0"${' '.repeat(1_048_576)}`)
    expect(await run()).toMatchObject({ code: 0, stdout: '' })
  })

  it('says what to do about a missing path or table', async () => {
    expect(await runMain(['models', 'nowhere', '--database', url], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: 'error: There is no file or folder nowhere.\n',
    })
    await database.query('alter schema model_watch rename to away')
    const without = await run()
    await database.query('alter schema away rename to model_watch')
    expect(without).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Add the recipe model-watch to the app'),
    })
  })

  const run = (...args: string[]) =>
    runMain(['models', '--database', url, ...args], { cwd: folder, env: {} })
})

describe('models, from the service', () => {
  const made = useSandbox({ historyDays: 0 })

  it('asks the service, and tells ambiguous from unknown', async () => {
    const { sandbox, key } = made()
    const compose = (eventType: string, providerSlug: string, model: string) =>
      sandbox.control.composeEvent({
        eventType,
        providerSlug,
        subjectType: 'model',
        subjectKey: `${providerSlug}/${model}`,
        evidenceState: 'documented',
      })
    await compose('model_deprecated', 'northwind-ai', 'zephyr-3')
    await compose('model_release', 'northwind-ai', 'zephyr-4')
    await compose('model_release', 'northwind-ai', 'gale-embed-2')
    await compose('api_model_listed', 'lumen-labs', 'lux-embed')
    write('.env', 'A_MODEL=zephyr-previous\nB_MODEL=embed-latest\nC_MODEL=nobody-1\nD=zephyr-3\n')
    const env = { FEED_URL: sandbox.url, FEED_API_KEY: key }
    const { code, stdout } = await runMain(['models', '--json'], { cwd: folder, env })
    const { mentions } = JSON.parse(stdout) as { mentions: Record<string, unknown>[] }
    expect([code, mentions]).toMatchObject([
      1,
      [
        { line: 1, model: 'zephyr-previous', result: 'found', state: 'deprecated' },
        { line: 2, model: 'embed-latest', result: 'ambiguous' },
        { line: 3, model: 'nobody-1', result: 'unknown' },
        { line: 4, model: 'zephyr-3', state: 'deprecated', replacements: ['zephyr-4'] },
      ],
    ])
    expect(stdout).not.toContain(key)
  })

  it('asks once for each id, and again for an unknown one with its provider', async () => {
    const { sandbox, key } = made()
    const env = { FEED_URL: sandbox.url, FEED_API_KEY: key }
    const requestsFor = async (text: string) => {
      write('.env', text)
      const [before] = await sandbox.control.listRequests({ limit: 1 })
      await runMain(['models'], { cwd: folder, env })
      const after = await sandbox.control.listRequests({ limit: 100 })
      return after.filter(({ id, charged }) => charged && id > (before?.id ?? 0)).length
    }
    const none = await requestsFor('')
    expect(await requestsFor('A_MODEL=zephyr-3\nB_MODEL=zephyr-3\n')).toBe(none + 1)
    expect(await requestsFor('A_MODEL=nobody-1\nB_MODEL=nobody-2\n')).toBe(none + 2)
    expect(await requestsFor('A_MODEL=nobody/model-1\n')).toBe(none + 2)
  })

  it('takes an id that the service rejects for unknown', async () => {
    const { sandbox, key } = made()
    write('.env', 'A_MODEL=No_Provider/model-1\nB_MODEL=zephyr-3\n')
    const env = { FEED_URL: sandbox.url, FEED_API_KEY: key }
    const { code, stdout } = await runMain(['models', '--json'], { cwd: folder, env })
    const { mentions } = JSON.parse(stdout) as { mentions: Record<string, unknown>[] }
    expect(mentions).toMatchObject([
      { model: 'No_Provider/model-1', result: 'unknown' },
      { model: 'zephyr-3', state: 'deprecated' },
    ])
    expect(code).toBe(1)
  })

  it('says how to reach the service', async () => {
    expect(await runMain(['models', '--from', 'service'], { cwd: folder, env: {} })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set FEED_URL, or --url, and FEED_API_KEY'),
    })
    const env = { FEED_URL: made().sandbox.url, FEED_API_KEY: 'feed_live_wrong' }
    expect(await runMain(['models'], { cwd: folder, env })).toMatchObject({ code: 1, stdout: '' })
  })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
