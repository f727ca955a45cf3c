/** The place in a file where the framework's app is available. */
export interface Making {
  /** The variable that holds the app. */
  app: string
  /** Whether it is within a function, in which `await` may not be allowed. */
  isInFunction: boolean
}

/** The frameworks whose app is created by a call. */
export type MadeFramework = 'express' | 'koa' | 'fastify' | 'hono' | 'nest'

/** The usual names of the creating function, for files that do not import it. */
const usualNames = {
  express: ['express'],
  koa: ['Koa'],
  fastify: ['fastify', 'Fastify'],
  hono: ['Hono', 'OpenAPIHono'],
  nest: [],
}

/** Finds the call that creates an app: `express()`, `new Koa()`, `require('fastify')()`. */
export function findMaking(text: string, framework: MadeFramework): Making | undefined {
  const names = [...usualNames[framework], ...boundNames(text, framework)].map(escape).join('|')
  const loaded = `\\(?\\s*(?:require|await\\s+import)\\(\\s*['"]${framework}['"]\\s*\\)\\s*\\)?`
  const callee = `(?:(?<![.\\w$])(?:${names})|${loaded})(?:\\.default|\\.fastify)?`
  const types = '(?:<[^()]*>)?\\s*'
  const calls = {
    express: `${callee}${types}\\(\\s*\\)`,
    koa: `\\bnew\\s+${callee}(?![\\w$.])`,
    fastify: `${callee}${types}\\(`,
    hono: `\\bnew\\s+${callee}(?![\\w$.])`,
    nest: `\\bNestFactory\\.create${types}\\(`,
  }
  const made = new RegExp(
    `^(?<indent>[ \\t]*)(?:(?<name>[^\\n=]*[^\\n=!<>])=\\s*(?:await\\s+)?)?[^\\n]*?${calls[framework]}`,
    'm',
  ).exec(text)
  if (!made?.groups) return undefined
  // All on one line, the name would be that of the function.
  if (/=>|\bfunction\b/.test(made[0])) return { app: 'app', isInFunction: true }
  const { indent, name } = made.groups
  return { app: nameIn(name) ?? 'app', isInFunction: indent !== '' }
}

/** Finds a Fastify plugin, as fastify-cli loads it: `async function (fastify, opts)`. */
export function findPlugin(text: string): Making | undefined {
  const typed = /:\s*FastifyPlugin\w*\b[^=]*=\s*(?:async\s*)?(?:function\b[^(]*)?\(\s*([\w$]+)/
  const exported =
    /(?:module\.exports|\bexport default)[\s=]*(?:\w+\(\s*)?(?:async\s*)?(?:function\b[^(]*)?\(\s*(\w*(?:fastify|server|app|instance)\w*)/i
  const named = /\bfunction\b[^(]*\(\s*(fastify)\b/
  const app = (typed.exec(text) ?? exported.exec(text) ?? named.exec(text))?.[1]
  return app === undefined ? undefined : { app, isInFunction: true }
}

/** `app` of `export const app: Application `, `this.app` of `this.app `. */
function nameIn(assigned = ''): string | undefined {
  return /^(?:export\s+)?(?:(?:const|let|var)\s+)?([\w$.]+)\s*(?::.*)?$/.exec(assigned.trim())?.[1]
}

/** The name under which a file imports or requires the framework. */
function boundNames(text: string, framework: MadeFramework): string[] {
  const from = `['"]${framework}['"]`
  const imports = new RegExp(`\\bimport\\s+(?!type\\b)([^'";]+?)\\s+from\\s+${from}`, 'g')
  const loads = new RegExp(
    `\\b(?:const|let|var|import)\\s+([^=;]+?)\\s*=\\s*(?:await\\s+import|require)\\(\\s*${from}`,
    'g',
  )
  return [...text.matchAll(imports), ...text.matchAll(loads)].flatMap(([, clause = '']) =>
    clause
      .split(/[{},]/)
      .map((part) => /([\w$]+)\s*$/.exec(part.trim())?.[1] ?? '')
      .filter((name) => name !== ''),
  )
}

function escape(name: string): string {
  return name.replaceAll('$', '\\$')
}
