import type { Context } from '../server/context.ts'
import { escapeHtml } from './escape-html.ts'
import { refusals } from '../server/refusals.ts'

/** The page for people (R140), with what the sandbox decides where the interface leaves it open. */
export function developersPage({ baseUrl, behaviour, manifestPath }: Context): string {
  const url = escapeHtml(baseUrl())
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The feed, for developers</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 0.9em ui-monospace, monospace; background: #f2f2f2; border-radius: 3px; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.8rem; overflow-x: auto; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0.2rem 1rem 0.2rem 0; vertical-align: top; }
</style>
</head>
<body>
<h1>The feed, for developers</h1>
<p>This is a sandbox: a whole feed service on your machine. Its providers are made up, its answers are
not: they come from its own database, and follow from what was asked before.</p>

<h2 id="start">Start</h2>
<pre>curl -H "Authorization: Bearer $FEED_API_KEY" ${url}/v1/events?limit=50</pre>
<p>Make a key on the control page, whose address is printed when the sandbox starts. It is shown once.
The API is described at <a href="/v1/schema.json">/v1/schema.json</a> (OpenAPI 3.1), and for agents at
<a href="${escapeHtml(manifestPath)}">${escapeHtml(manifestPath)}</a>.</p>

<h2 id="polling">Polling</h2>
<ol>
<li>Ask for <code>limit=50</code> on the first run.</li>
<li>Process the page, each event once by its <code>id</code>; keep <code>sourceUrl</code> with what you
make of it.</li>
<li>Then, and not before, keep <code>nextCursor</code>.</li>
<li>While <code>hasMore</code> is true, ask again at once; else in 60 seconds.</li>
</ol>
<p>Without a cursor the newest events come first, with one the oldest. ${firstCursor(behaviour)} A cursor
is a text to keep and to send back: it is signed, and belongs to your account and to the filters that it
came with. <code>limit</code> is no filter. An event that was confirmed, corrected or retracted
${behaviour.moveChanged ? 'comes again, at a new place in the feed' : 'is changed where it is'}; its
<code>id</code> stays.</p>

<h2 id="after">after is deprecated</h2>
<p>Pages go from the first observation after that time to the last one. Events that share a time with the
last one you saw are skipped when you ask with it again. Use <code>cursor</code>: <code>nextCursor</code>
of such a page leads on without a gap. <code>after</code> and <code>cursor</code> exclude each other.</p>

<h2 id="filters">Filters</h2>
<p><code>provider</code> and <code>type</code> are exact, and whether there is one of that name is not
asked: an unknown one has no events. <code>type=outage</code> is every step of an outage.
<code>confirmation=all</code> adds early signals. A parameter that is sent twice, is empty or is out of
range is refused; one that is unknown is ignored.</p>

<h2 id="account-events">Account events</h2>
<p><code>/v1/account-events</code> needs both Decision Intelligence and private activity to be on for
the account. Its pages go from the newest to the oldest, with a cursor too. Every text in
<code>data</code> is untrusted. A reference that is missing, guessed, malformed or of another account is
answered alike.</p>

<h2 id="mcp">MCP</h2>
<p>Agents reach the same facts at <code>${url}/mcp</code> (Streamable HTTP), with the same key and at the
same cost: one for every request. The tools are <code>list_changes</code>, <code>get_change</code>,
<code>get_deprecations</code> and <code>check_model</code>. <code>unknown</code> means that no confirmed
fact matches; after <code>ambiguous</code>, name a provider.</p>

<h2 id="limits">Limits</h2>
<p>100,000 requests in a calendar month (UTC) and 120 in a clock minute, for all keys of an account
together. Every request with a key that works costs one, also one that is answered 400, 404 or 405, and
<code>HEAD</code>; 401, 403 and 429 cost nothing. What is checked first: the key, Pro access, the limits,
whether a feature is on, the parameters.</p>

<h2 id="errors">Errors</h2>
<p>Every refusal is <code>{"error": "…", "code": "…"}</code>. Branch on the code or the status.</p>
<table>
<tr><th>Status</th><th>Code</th><th>Meaning</th></tr>
${errorRows()}
</table>

<h2 id="webhooks">Webhooks</h2>
<p>A delivery is a <code>POST</code> with <code>Feed-Signature: t=…,v1=…</code>, where <code>v1</code> is
the HMAC-SHA256, in hexadecimal, of <code>t</code>, a full stop and the exact bytes of the body. Verify it
before anything else, refuse what is more than 300 seconds from your clock, answer 2xx within 10 seconds
once the event is stored, and dedupe by <code>id</code>.</p>

<h2 id="clock">The clock</h2>
<p>The sandbox has a clock of its own, which the control page moves, stops and sets on. Limits, times of
observation and due times go by it. Moved back, it begins a new allowance.</p>
</body>
</html>
`
}

function firstCursor({ firstCursor: first }: Context['behaviour']): string {
  return first === 'tail'
    ? 'The cursor of a first page leads to what comes after that page: events older than the 200 that ' +
        'it may hold are not to be had through it.'
    : 'The cursor of a first page leads to the oldest event, so that all history is read once.'
}

function errorRows(): string {
  const seen = new Set<string>()
  const rows: string[] = []
  for (const [status, code, text] of Object.values(refusals)) {
    if (seen.has(`${status} ${code}`)) continue
    seen.add(`${status} ${code}`)
    rows.push(
      `<tr><td>${status}</td><td><code>${code}</code></td><td>${escapeHtml(text)}</td></tr>`,
    )
  }
  return rows.join('\n')
}
