import { expect, it } from 'vitest'
import { readable } from './install-packages.ts'

it.each([
  [
    'npm http fetch GET 200 https://registry.npmjs.org/express 35ms (cache miss)',
    'fetched express',
  ],
  ['npm http fetch GET 200 https://registry.npmjs.org/@types%2fnode 3ms', 'fetched @types/node'],
  [
    'npm http fetch GET 200 http://127.0.0.1:4873/hono/-/hono-4.13.19.tgz 8ms (cache miss)',
    'fetched hono',
  ],
  [
    'npm http cache @hono/node-server@https://registry.npmjs.org/@hono/node-server/-/node-server-2.1.9.tgz 0ms (cache hit)',
    'fetched @hono/node-server',
  ],
  ['npm http fetch GET 404 https://registry.npmjs.org/none 12ms', undefined],
  ["npm warn EBADENGINE   required: { node: '>=22.12.0' },", undefined],
  ['npm error code E404', 'npm error code E404'],
  ['added 38 packages in 3s', 'added 38 packages in 3s'],
  ['Progress: resolved 12, reused 3', 'Progress: resolved 12, reused 3'],
])('shows %s as %s', (line, shown) => {
  expect(readable(line)).toBe(shown)
})
