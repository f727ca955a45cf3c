import { readFileSync } from 'node:fs'
import { orUndefined } from '../or-undefined.ts'
import { parseEnvFile } from '../parse-env-file.ts'

/** Where the templates and guides mount the receiver. */
const paths = ['/webhooks/feed', '/api/webhooks/feed', '/api/feed']

/** The ports of the templates and of common development servers. */
const usualPorts = [3000, 3001, 5173, 8080, 8787]

/**
 * The URLs at which an app in this folder may listen, the most likely first. The port comes from
 * the environment, from ./.env, from the scripts in package.json, or from a list of usual ports.
 * Each call reads the files again, because a port may change meanwhile.
 */
export function candidateUrls(env: Readonly<Record<string, string | undefined>>): string[] {
  const { PORT: fromFile = '' } = parseEnvFile(readText('.env'))
  const ports = new Set(
    [env['PORT'] ?? '', fromFile, ...scriptPorts(), ...usualPorts].map(Number).filter(isPort),
  )
  return [...ports].flatMap((port) => paths.map((path) => `http://localhost:${port}${path}`))
}

/** Ports that scripts name, such as `next dev -p 4000`, `--port=4000` or `PORT=4000 node .`. */
function scriptPorts(): string[] {
  const { scripts }: { scripts?: unknown } = Object(
    orUndefined(() => JSON.parse(readText('package.json'))),
  )
  const text = Object.values(Object(scripts)).join('\n')
  const named = text.matchAll(/(?:\bPORT=|--port[ =]|\s-p[ =]?)(\d{2,5})\b/g)
  return [...named].map(([, port = '']) => port)
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536
}

function readText(file: string): string {
  return orUndefined(() => readFileSync(file, 'utf8')) ?? ''
}
