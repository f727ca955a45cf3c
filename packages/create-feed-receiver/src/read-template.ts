import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Framework } from './choices.ts'

const templates = new URL('../templates/', import.meta.url)

/** The files of a template, by path, with what is in them. */
export function readTemplate(framework: Framework): Map<string, string> {
  const folder = fileURLToPath(new URL(framework, templates))
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    paths.map((path) => [nameInApp(relative(folder, path)), readFileSync(path, 'utf8')]),
  )
}

/** With slashes everywhere; and npm packs no .gitignore, so it has another name there. */
function nameInApp(path: string): string {
  return path.replaceAll(sep, '/').replace(/^_gitignore$/, '.gitignore')
}
