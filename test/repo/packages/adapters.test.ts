import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../check/workspaces.ts'

it.each(['express', 'koa', 'fastify'])(
  'the adapter for %s is as short as the others, with the same two statements',
  (name) => {
    const text = readFileSync(join(root, 'packages', name, 'src/index.ts'), 'utf8')
    expect(text.split('\n').length).toBeLessThanOrEqual(25)
    expect(text).toMatch(
      /const delivery = fromNode\(.+\)\n +const { status, headers, body } = await receiver\.receive\(delivery\)\n/,
    )
  },
)
