import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { it } from 'vitest'
import { deliverTo, forProduction, statusOf } from './deliver-to.ts'
import { apps as appsOfFrameworks } from './old-apps-of-frameworks.ts'
import { apps } from './old-apps.ts'
import { useStranger, type Stranger } from './stranger.ts'

it.concurrent.for([...appsOfFrameworks, ...apps])(
  '--into adds the feed to an app on $name',
  async (app, context) => {
    const { expect } = context
    const name = `into-${app.name.replaceAll(/\W+/g, '-')}`
    const stranger = await useStranger(context, name)
    const { run, start, edit, fetch } = stranger
    await have(stranger, {
      ...app.files,
      'package.json': `${JSON.stringify(app.manifest, null, 2)}\n`,
    })
    expect(await run('npm', 'install')).toMatchObject({ code: 0 })
    const check = async () => {
      for (const [command = '', ...args] of app.checks ?? [])
        expect(await run(command, ...args)).toMatchObject({ code: 0 })
    }
    await check()

    const named = app.template === undefined ? [] : ['--template', app.template]
    const create = ['create', 'feed-receiver@latest', '--', '--into', '.', ...named]
    const added = await run('npm', ...create)
    expect(added).toMatchObject({ code: 0 })
    const printed = [...added.stdout.matchAll(/^(At|Before|Where|In) .*:\n\n {2}(.+)\n/gm)]
    const [importLine = ''] = printed.filter(([, at]) => at === 'At').map(([, , one]) => one)
    const lines = printed.filter(([, at]) => at !== 'At').map(([, , one]) => one)
    const { edited, mount } = app
    if (edited !== undefined) {
      await edit(edited, (text) => mount?.(text, lines.join('\n'), importLine) ?? text)
    } else expect(added.stdout).toContain('you do not need to change any code')
    const [, correct] = /as your app does:\n\n {2}(.+)\n/.exec(added.stdout) ?? []
    if (correct !== undefined) expect(await run('sh', '-c', correct)).toMatchObject({ code: 0 })
    await check()
    for (const [builder = '', ...args] of app.builds ?? []) {
      expect(await run(builder, ...args)).toMatchObject({ code: 0 })
    }
    if (app.seamTest !== undefined) {
      await writeFile(join(stranger.folder, app.seamTest.path), app.seamTest.text)
      const tested = await run('npx', 'vitest', 'run', '--root=.', app.seamTest.path)
      expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining('2 passed') })
      await rm(join(stranger.folder, app.seamTest.path))
    }

    await edit('.env', forProduction)
    const [command = '', ...args] = app.start
    const started = start(command, ...args)
    await expect.poll(() => statusOf(stranger, '/')).toBe(200)
    // 503 until its inbox has started, then 202, then 200.
    await expect.poll(() => deliverTo(stranger, 'outage_started')).toBe(200)
    await started.untilPrinted('Outage: ')
    expect(await (await fetch('/')).text()).toContain('a shop')
    await started.stop()
  },
)

async function have({ folder }: Stranger, files: Record<string, string>): Promise<void> {
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), contents)
  }
}
