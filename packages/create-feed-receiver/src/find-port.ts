import { parseEnv } from 'node:util'
import type { Context } from './context.ts'
import { readThere } from './env-file.ts'
import type { FoundApp } from './find-app.ts'
import { readSources } from './find-entry.ts'

const usual = '3000'

/** The port that an app listens on, as far as its scripts, code and environment say. */
export function findPort(folder: string, app: FoundApp, env: Context['env']): string {
  const scripts = JSON.stringify(app.manifest['scripts'] ?? {})
  const inScripts = /\bPORT=(\d+)|(?:next|fastify) [^"]*?(?:-p|--port)[ =](\d+)/.exec(scripts)
  const said = inScripts?.[1] ?? inScripts?.[2]
  if (said !== undefined) return said
  // Next listens before it reads .env.
  if (app.framework === 'next') return env['PORT'] || usual
  const listening = readSources(folder).find(({ text }) => /\.listen\(/.test(text))?.text ?? ''
  const written = /\.listen\(\s*(?:\{[^}]*?\bport:\s*)?(\d{2,5})\b|\bport\s*=\s*(\d{2,5})\b/i.exec(
    listening,
  )
  if (written && !/\bPORT\b/.test(listening)) return written[1] ?? written[2] ?? usual
  const otherwise = /\bPORT\b[^\n]{0,8}?(?:\?\?|\|\|)\s*['"]?(\d{2,5})/.exec(listening)?.[1]
  return env['PORT'] || parseEnv(readThere(folder, '.env') ?? '')['PORT'] || otherwise || usual
}
