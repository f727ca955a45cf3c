import { dirname } from 'node:path'
import { inject, it } from 'vitest'
import { mustRun } from '../packed/run.ts'
import { strangerEnv } from './stranger-env.ts'

it.concurrent.each(['express', 'koa', 'fastify', 'next'])('%s', async (framework) => {
  const folder = inject('projectsFolder')
  const env = strangerEnv(inject('registryUrl'), dirname(folder))
  const started = Date.now()
  console.log(
    await mustRun(
      'npm',
      ['create', 'feed-receiver@latest', `my-${framework}`, '--', '--template', framework, '--yes'],
      folder,
      env,
    ),
  )
  console.log(framework, Date.now() - started)
  console.log(await mustRun('npm', ['run', 'typecheck'], `${folder}/my-${framework}`, env))
  console.log(framework, Date.now() - started)
})
