import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'
import { ConsoleError } from './errors.ts'

const folder = new URL('../dist/page/', import.meta.url)

const types = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
])

/** Serves an asset by its name. */
export async function answerFile(c: Context): Promise<Response> {
  const file = c.req.param('file') ?? ''
  const type = types.get(file.split('.').at(-1) ?? '') ?? ''
  const content = type === '' ? null : await read(`assets/${file}`)
  if (content === null) return c.text('Not found', 404)
  // The names contain a hash of the content, so a new version is a new file.
  const cacheControl = 'public, max-age=31536000, immutable'
  return c.body(content, 200, { 'content-type': type, 'cache-control': cacheControl })
}

/** Serves the built page. */
export async function answerPage(c: Context): Promise<Response> {
  const html = await read('index.html')
  if (html === null) throw missing()
  // The browser resolves links from the last slash, and the app decides whether the path ends in
  // one: from /console our files are at console/assets, from /console/ at assets.
  const last = new URL(c.req.url).pathname.split('/').at(-1) ?? ''
  const root = last === '' ? './' : `./${escapeAttribute(last)}/`
  const text = html
    .toString()
    .replaceAll('./assets/', () => `${root}assets/`)
    .replace('data-root="./"', () => `data-root="${root}"`)
  return c.body(text, 200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
}

async function read(name: string): Promise<Buffer<ArrayBuffer> | null> {
  return await readFile(new URL(name, folder)).catch(() => null)
}

function escapeAttribute(text: string): string {
  return text.replaceAll(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function missing(): ConsoleError {
  return new ConsoleError(
    'page_missing',
    'The page of the console is missing. In the repository, run npm run build. In an app, keep the ' +
      'package out of your bundle (serverExternalPackages in Next), because it reads files beside itself.',
  )
}
