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

/**
 * Finds the call that creates an app, such as `express()`, `new Koa()` or `require('fastify')()`,
 * or a class that extends it, and returns the variable that holds the app.
 */
export function findAppCall(text: string, framework: MadeFramework): string | undefined {
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
    `^[ \\t]*(?:(?<name>[^\\n=]*[^\\n=!<>])=\\s*(?:await\\s+)?)?[^\\n]*?${calls[framework]}`,
    'm',
  ).exec(text)
  // A class of the app, whose methods mount the route. Nest has none.
  const extended = new RegExp(`\\bextends\\s+${callee}(?![\\w$.])`)
  if (!made && framework !== 'nest' && extended.test(text)) return 'this'
  if (!made?.groups) return undefined
  // All on one line, the name would be that of the function.
  if (/=>|\bfunction\b/.test(made[0])) return 'app'
  return nameIn(made.groups['name']) ?? 'app'
}

/**
 * Finds a Fastify plugin, as fastify-cli loads it, such as `async function (fastify, opts)`, and
 * returns its first parameter.
 */
export function findPlugin(text: string): string | undefined {
  const typed = /:\s*FastifyPlugin\w*\b[^=]*=\s*(?:async\s*)?(?:function\b[^(]*)?\(\s*([\w$]+)/
  const exported =
    /(?:module\.exports|\bexport default)[\s=]*(?:\w+\(\s*)?(?:async\s*)?(?:function\b[^(]*)?\(\s*(\w*(?:fastify|server|app|instance)\w*)/i
  const named = /\bfunction\b[^(]*\(\s*(fastify)\b/
  return (typed.exec(text) ?? exported.exec(text) ?? named.exec(text))?.[1]
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
