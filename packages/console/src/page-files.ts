import { readFile } from 'node:fs/promises'
import { ConsoleError } from './errors.ts'
import { securityHeaders } from './security-headers.ts'

const folder = new URL('../dist/page/', import.meta.url)

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

export interface PageFiles {
  /** Answers one of the files by its name, or the page itself where there is no name. */
  answer(request: Request, file: string | null): Promise<Response>
}

/** Takes the name of a file of the page from the end of a path; null where it asks for the page. */
export function fileNameIn(pathname: string): string | null {
  return /\/assets\/([\w-]+\.[a-z]+)$/.exec(pathname)?.[1] ?? null
}

/** Makes what answers the built page. Files are read once, when they are first asked for. */
export function createPageFiles(): PageFiles {
  const texts = new Map<string, Buffer>()
  const read = async (name: string) => {
    const text = texts.get(name) ?? (await readFile(new URL(name, folder)).catch(() => null))
    // What is not there is not kept in mind: anybody can ask for any name.
    if (text !== null) texts.set(name, text)
    return text
  }

  return {
    async answer(request, file) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return new Response(null, {
          status: 405,
          headers: { ...securityHeaders, allow: 'GET, HEAD' },
        })
      }
      if (file !== null) return await answerFile(file, await read(`assets/${file}`))
      const html = await read('index.html')
      if (html === null) throw missing()
      return answerPage(html.toString(), new URL(request.url).pathname)
    },
  }
}

async function answerFile(file: string, content: Buffer | null): Promise<Response> {
  const type = types[file.split('.').at(-1) ?? '']
  if (content === null || type === undefined) {
    return new Response('Not found', { status: 404, headers: securityHeaders })
  }
  // The names have a hash of the content, so that a new version is a new file.
  const cacheControl = 'public, max-age=31536000, immutable'
  const headers = { ...securityHeaders, 'content-type': type, 'cache-control': cacheControl }
  return new Response(new Uint8Array(content), { headers })
}

function answerPage(html: string, pathname: string): Response {
  // The browser goes by the last slash, and whether there is one is for the app to say: from /console
  // our files are at console/assets, from /console/ at assets.
  const last = pathname.split('/').at(-1) ?? ''
  const root = last === '' ? './' : `./${escapeAttribute(last)}/`
  const headers = {
    ...securityHeaders,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  }
  const text = html.replaceAll('./assets/', () => `${root}assets/`)
  return new Response(
    text.replace('data-root="./"', () => `data-root="${root}"`),
    { headers },
  )
}

function escapeAttribute(text: string): string {
  return text.replaceAll(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function missing(): ConsoleError {
  return new ConsoleError(
    'page_missing',
    'The page of the console is not built. In the repository: npm run build. In an app: keep the ' +
      'package out of your bundle (serverExternalPackages in Next), since it reads files beside itself.',
  )
}
