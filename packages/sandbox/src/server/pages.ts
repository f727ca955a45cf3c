import type { FastifyRequest } from 'fastify'
import { Marked } from 'marked'
import type { Context } from './context.ts'
import type { Rejection } from './rejections.ts'

/** Whether a person sent this with a browser, to an address that is not only for programs. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  // For a navigation, browsers prefer HTML over every other type.
  const isNavigation = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.accept ?? '')
  return isNavigation && !/^\/(?:v1|mcp|_sandbox\/api)(?:[/?]|$)/.test(url)
}

/** The page of `/` for people, with links to everything else. */
export function homePage({ baseUrl }: Context): string {
  return toPage(`# The feed on your machine

This is a sandbox of the feed service, for developing apps.

- [Control page](/_sandbox/): publish events, see their deliveries, and inject faults. If your browser has no session, open the link \`Control page\` that \`feed-receiver sandbox\` printed at startup.
- [For developers](/developers): the API, its limits and errors, and the webhooks.
- [OpenAPI](/v1/schema.json): the same, machine-readable.

The API is at \`${baseUrl()}/v1/events\`. It requires an API key. Create one on the control page.`)
}

/** The page for a rejected person, with a next step. */
export function rejectionPage({ baseUrl }: Context, { reason, message }: Rejection): string {
  if (reason === 'bad_session') return toPage(sessionPage.replace('{url}', baseUrl()))
  // As text, because the message may quote the request.
  const error = message.replaceAll(/[\\`*_[\]<>&!#|~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return toPage(`# ${reason === 'not_found' ? 'Not found' : 'The request failed'}

${error}

[Start page](/) · [Control page](/_sandbox/) · [For developers](/developers)`)
}

const sessionPage = `# Open the control page from your terminal

This browser has no session of the running sandbox. A session ends when its sandbox stops.

1. Go to the terminal in which \`feed-receiver sandbox\` runs.
2. Open the link that it printed at startup:

\`\`\`
Control page  {url}/_sandbox/open?session=feed_session_…
\`\`\`

If the link is gone, stop the sandbox with Ctrl-C and start it again. Its data stays. A program finds the link in \`sandbox.controlUrl\`.

[Start page](/) · [For developers](/developers)`

/** Renders Markdown as a page that has no scripts and loads nothing. Its title is the first heading. */
export function toPage(text: string): string {
  const [, title = ''] = /^# (.+)/.exec(text) ?? []
  return `${head.replace('{title}', title)}${markdown.parse(text, { async: false })}</body>\n</html>\n`
}

export const textPageHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
}

const markdown = new Marked({
  renderer: {
    // Links lead to a section by its name.
    heading({ tokens, depth, text }) {
      const id = text.toLowerCase().replaceAll(' ', '-')
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
  },
})

// The colors are those of the control page.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root { color-scheme: light dark; background: light-dark(#faf9f7, #131417); color: light-dark(#1d1c1a, #ededeb); }
body { font: 16px/1.6 Inter, system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; letter-spacing: -0.02em; }
h2 { margin-top: 2.5rem; font-size: 1.2rem; }
a { color: light-dark(#3a54cf, #9db0ff); text-underline-offset: 3px; }
li { margin: 0.35rem 0; }
code, pre { font: 0.9em ui-monospace, Menlo, Consolas, monospace; background: light-dark(#f0efec, #23262b); border-radius: 5px; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.8rem 1rem; white-space: pre-wrap; }
pre code { padding: 0; background: none; font-size: 1em; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0.35rem 1rem 0.35rem 0; vertical-align: top; border-bottom: 1px solid light-dark(#e6e4df, #2d3036); overflow-wrap: normal; }
</style>
</head>
<body>
`
