import { readFileSync } from 'node:fs'
import { Marked } from 'marked'
import type { Context } from '../server/context.ts'
import { refusals } from '../server/refusals.ts'
import said from './developers.json' with { type: 'json' }

/** The page for people (R140), with what the sandbox decides where the interface leaves it open. */
export function developersPage({ baseUrl, behaviour, manifestPath }: Context): string {
  const values: Record<string, string> = {
    url: baseUrl(),
    manifestPath,
    firstCursor: said.firstCursor[behaviour.firstCursor],
    moveChanged: said.moveChanged[`${behaviour.moveChanged}`],
    errors: errorRows.join('\n'),
  }
  source ??= readFileSync(new URL('../../src/documents/developers.md', import.meta.url), 'utf8')
  const text = source.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
  return `${head}${markdown.parse(text, { async: false })}</body>\n</html>\n`
}

let source: string | undefined

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The feed, for developers</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 0.9em ui-monospace, monospace; background: #f2f2f2; border-radius: 3px; }
code { padding: 0.1em 0.3em; }
pre code { padding: 0; }
pre { padding: 0.8rem; overflow-x: auto; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0.2rem 1rem 0.2rem 0; vertical-align: top; }
</style>
</head>
<body>
`

const markdown = new Marked({
  renderer: {
    // Links lead to a section by its name.
    heading({ tokens, depth, text }) {
      const id = text.toLowerCase().replaceAll(' ', '-')
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
  },
})

/** The first refusal of each status and code. */
const errorRows = Object.values(refusals)
  .filter((row, at, all) => {
    return at === all.findIndex(({ status, code }) => status === row.status && code === row.code)
  })
  .map(({ status, code, error }) => `| ${status} | \`${code}\` | ${error} |`)
