/** Takes the pictures of the recipes, from a run on a week of the sandbox: npm run screenshot */
import { statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import type { SlackMessage } from '../integration/recipes/serve-slack.ts'
import { openBrowser } from './chromium.ts'
import { runRecipes, type RecipeResults, type TableRow } from './run-recipes.ts'

const folder = fileURLToPath(new URL('../../docs/recipes/', import.meta.url))
const maxKilobytes = 60

/** The colours of the circles that the recipe posts. */
const emoji: Record<string, string> = {
  red_circle: '#d1242f',
  large_orange_circle: '#e8912d',
  large_green_circle: '#2da44e',
}

const style = `
  body { margin: 0; background: #fff; color: #1d1c1d; font: 15px/1.45 system-ui, sans-serif }
  main { padding: 16px 20px }
  header { font-weight: 700; border-bottom: 1px solid #ddd; padding-bottom: 10px }
  section { margin: 12px 0 }
  section + .count { color: #616061; font-size: 13px; margin: 0 }
  .count ~ section { margin-left: 28px }
  .app { display: block }
  i { display: inline-block; width: 13px; height: 13px; border-radius: 50%; vertical-align: -1px }
  small { color: #616061 }
  a { color: #1264a3; text-decoration: none }
  table { border-collapse: collapse; font-size: 14px; width: 100% }
  th, td { border-bottom: 1px solid #ddd; padding: 5px 14px 5px 0; text-align: left; white-space: nowrap }
  th { font: 600 12px ui-monospace, 'DejaVu Sans Mono', monospace; color: #57606a }
  td:last-child { max-width: 190px; overflow: hidden; padding-right: 0; text-overflow: ellipsis }
  pre { margin: 0; font: 12px/1.6 ui-monospace, 'DejaVu Sans Mono', monospace }
  pre div { padding-left: 2ch; text-indent: -2ch; white-space: pre-wrap; overflow-wrap: anywhere }
  article { font-size: 14px }
  article h1 { font-size: 21px; margin: 0 }
  article h2 { font-size: 16px; margin: 14px 0 4px }
  article ul { margin: 0; padding-left: 20px }
`

const results = await runRecipes()
const browser = await openBrowser()
for (const picture of picturesOf(results)) {
  const { name } = picture
  const path = `${folder}${name}.webp`
  await takePicture(path, picture, browser)
  const kilobytes = Math.ceil(statSync(path).size / 1_000)
  console.log(`docs/recipes/${name}.webp has ${kilobytes} kB.`)
  if (kilobytes > maxKilobytes) {
    console.error(`It must not have more than ${maxKilobytes} kB, because every reader loads it.`)
    process.exitCode = 1
  }
}
await browser.close()

function picturesOf({ messages, models, prices, csv, mail }: RecipeResults): Picture[] {
  return [
    { name: 'incidents', width: 640, html: threadOf(messages) },
    { name: 'model-watch', width: 1000, html: tableOf(models) },
    { name: 'price-history', width: 1110, html: tableOf(prices) },
    { name: 'price-history-csv', width: 920, html: linesOf(csv) },
    // The mail of a week is longer than anybody reads in a picture.
    { name: 'digest', width: 640, maxHeight: 577, html: `<article>${mail.html}</article>` },
  ]
}

interface Picture {
  name: string
  width: number
  /** Where it is cut off. @default nowhere */
  maxHeight?: number
  html: string
}

async function takePicture(path: string, picture: Picture, on: Browser): Promise<void> {
  const { width, maxHeight = Infinity, html } = picture
  const page = await on.newPage({
    colorScheme: 'light',
    deviceScaleFactor: 1.5,
    viewport: { width, height: 200 },
  })
  await page.setContent(`<!doctype html><style>${style}</style><main>${html}</main>`)
  const height = await page.evaluate('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height: Math.min(Number(height), maxHeight) })
  const devtools = await page.context().newCDPSession(page)
  // Playwright itself writes no WebP. At this quality it is lossless.
  const shot = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 100 })
  writeFileSync(path, Buffer.from(shot.data, 'base64'))
  await page.close()
}

/** The thread of the latest incident, as Slack would show its first message and the replies. */
function threadOf(messages: readonly SlackMessage[]): string {
  const first = messages.findLast(({ thread }) => thread === undefined)
  const replies = messages.filter(({ thread }) => thread !== undefined && thread === first?.ts)
  if (!first || replies.length === 0) throw new Error('There is no thread.')
  return [
    '<header>#incidents</header>',
    showMessage(first),
    `<p class="count">${replies.length} replies</p>`,
    ...replies.map(showMessage),
  ].join('\n')
}

function showMessage({ texts }: SlackMessage): string {
  const edited = texts.length > 1 ? '<small>(edited)</small>' : ''
  return `<section><b class="app">Feed</b><div>${showSlackText(texts.at(-1) ?? '')} ${edited}</div></section>`
}

/** The markup of Slack that the recipe uses. Its texts are escaped already. */
function showSlackText(text: string): string {
  return text
    .replaceAll(/<!date\^(\d+)\^[^|>]+\|[^>]+>/g, (_, seconds: string) => showDate(Number(seconds)))
    .replaceAll(/:([a-z_]+):/g, (_, name: string) => `<i style="background: ${emoji[name]}"></i>`)
    .replaceAll(/\*(\w[^*\n]*)\*/g, '<b>$1</b>')
    .replaceAll(/<(https?:[^|>]+)\|([^>]+)>/g, '<a href="$1">$2</a>')
    .replaceAll('\n', '<br>')
}

function showDate(seconds: number): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat('en-US', format).format(seconds * 1_000)
}

function tableOf(rows: readonly TableRow[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) =>
    line(
      'td',
      columns.map((column) => textOf(row[column])),
    ),
  )
  return `<table>${line('th', columns)}${body.join('')}</table>`
}

function linesOf(text: string): string {
  const lines = text.trimEnd().split(/\r?\n/)
  return `<pre>${lines.map((line) => `<div>${escape(line)}</div>`).join('')}</pre>`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/^https:\/\//, '') : ''
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
