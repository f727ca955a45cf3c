import { readPageFile } from '@feed-receiver/core/internal'
import type { Context } from 'hono'
import { ConsoleError } from './errors.ts'

const folder = new URL('../dist/page/', import.meta.url)

export async function answerFile(c: Context): Promise<Response> {
  const file = await readPageFile(folder, `assets/${c.req.param('file') ?? ''}`)
  return file ? c.body(new Uint8Array(file.body), 200, file.headers) : c.text('Not found', 404)
}

export async function answerPage(c: Context): Promise<Response> {
  const page = await readPageFile(folder, 'index.html')
  if (!page) {
    throw new ConsoleError(
      'page_missing',
      'The page of the console is missing. In the repository, run npm run build. In an app, keep the ' +
        'package out of your bundle (serverExternalPackages in Next), because it reads files beside itself.',
    )
  }
  // The browser resolves links from the last slash, and the app decides whether the path ends in
  // one: from /console our files are at console/assets, from /console/ at assets.
  const last = new URL(c.req.url).pathname.split('/').at(-1) ?? ''
  const root = last === '' ? './' : `./${escapeAttribute(last)}/`
  const text = page.body
    .toString()
    .replaceAll('./assets/', () => `${root}assets/`)
    .replace('data-root="./"', () => `data-root="${root}"`)
  return c.body(text, 200, page.headers)
}

function escapeAttribute(text: string): string {
  return text.replaceAll(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
