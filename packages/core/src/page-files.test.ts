import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPageFile } from './page-files.ts'

describe('readPageFile', () => {
  let root: string
  let page: URL

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'page-files-'))
    page = pathToFileURL(join(root, 'page/'))
    await mkdir(join(root, 'page/assets/a'), { recursive: true })
    for (const path of [
      'x.js',
      'page/index.html',
      'page/x.js',
      'page/assets/a/b.js',
      'page/assets/index.html',
      'page/assets/x.js',
      'page/assets/x.json',
      'page/assets/with-icons.svg',
      'page/assets/app-Bq3x_8-a.js',
    ]) {
      await writeFile(join(root, path), path)
    }
  })
  afterAll(() => rm(root, { recursive: true }))

  const year = 'public, max-age=31536000, immutable'
  it.each([
    ['index.html', 'text/html; charset=utf-8', 'no-store'],
    ['assets/x.js', 'text/javascript; charset=utf-8', 'no-store'],
    ['assets/with-icons.svg', 'image/svg+xml', 'no-store'],
    ['assets/app-Bq3x_8-a.js', 'text/javascript; charset=utf-8', year],
  ])('reads %s', async (path, type, caching) => {
    const file = await readPageFile(page, path)
    expect(file?.body.toString()).toBe(`page/${path}`)
    expect(file?.headers).toEqual({ 'content-type': type, 'cache-control': caching })
  })

  it.each([
    '../x.js',
    'x.js',
    'assets/../index.html',
    'assets/../../x.js',
    'assets/%2e%2e/index.html',
    'assets/a/b.js',
    'assets/x.js\n',
    'assets/x.json',
    'assets/none.js',
    'assets/',
    '',
  ])('reads nothing for %j', async (path) => {
    expect(await readPageFile(page, path)).toBeUndefined()
  })
})
