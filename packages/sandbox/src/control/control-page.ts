import { escapeHtml } from '../documents/escape-html.ts'
import type { Control } from './control.ts'

/** The state of the sandbox at a glance: nothing but HTML, so that nothing in it can run. */
export async function controlPage(control: Control): Promise<string> {
  const { now, shiftMs, isFrozen } = await control.readClock()
  const accounts = await control.listAccounts()
  const keys = await control.listKeys()
  const requests = await control.listRequests({ limit: 50 })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid #ddd; }
</style>
</head>
<body>
<h1>Sandbox</h1>
<p>It is ${now.toISOString()} here, ${isFrozen ? 'and the clock stands' : `${shiftMs} ms from real time`}.
<a href="/developers">For developers</a>. As JSON: <a href="api/export">everything</a>,
<a href="api/requests">requests</a>.</p>
<h2>Accounts</h2>
${table(
  ['Account', 'Pro', 'Decision Intelligence', 'Private activity', 'A month', 'A minute'],
  accounts.map((account) => [
    `${account.name} (${account.id})`,
    account.proActive,
    account.decisionIntelligence,
    account.privateActivity,
    account.usageLimit,
    account.burstLimit,
  ]),
)}
<h2>API keys</h2>
${table(
  ['Name', 'Key', 'Account', 'Last used', 'Revoked'],
  keys.map((key) => [key.name, key.display, key.accountId, key.lastUsedAt, key.revokedAt]),
)}
<h2>Requests</h2>
${table(
  ['Time', 'Request', 'Status', 'Reason', 'Key', 'Charged'],
  requests.map((request) => [
    request.at,
    `${request.method} ${request.path}`,
    request.status,
    request.reason === null ? null : `${request.reason}: ${request.detail}`,
    request.keyDisplay,
    request.charged,
  ]),
)}
</body>
</html>
`
}

type Cell = string | number | boolean | Date | null

function table(head: string[], rows: Cell[][]): string {
  const line = (cells: Cell[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(show(cell))}</${tag}>`).join('')}</tr>`
  return `<table>\n${[line(head, 'th'), ...rows.map((row) => line(row, 'td'))].join('\n')}\n</table>`
}

function show(cell: Cell): string {
  if (cell === null) return '–'
  if (cell instanceof Date) return cell.toISOString()
  return typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : String(cell)
}
