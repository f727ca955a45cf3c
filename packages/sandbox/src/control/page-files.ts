import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'

export interface PageFile {
  type: string
  body: Buffer
}

/** The control page, as Vite has built it. */
const folder = new URL('../../dist/page/', import.meta.url)

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A file of the control page; undefined for what is none, wherever its path may lead. */
export async function readPageFile(path: string): Promise<PageFile | undefined> {
  const type = types[extname(path)]
  if (type === undefined || !/^(?:assets\/)?[\w-]+\.[a-z]+$/.test(path)) return undefined
  const body = await readFile(new URL(path, folder)).catch(() => undefined)
  return body && { type, body }
}
