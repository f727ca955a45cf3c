/**
 * Draws the panels of the Grafana dashboard from a Prometheus that scrapes an app, into
 * docs/operations/dashboard.png: npm run screenshot
 */
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../../browser/chromium.ts'
import { fillQuery, readDashboard, type Panel } from './dashboard.ts'
import { startPrometheus, type Series } from './prometheus.ts'
import { startWatchedApp } from './start-watched-app.ts'

const seconds = 90
const path = fileURLToPath(new URL('../../../docs/operations/dashboard.png', import.meta.url))

const colors = [
  '#2f6fdb',
  '#d9822b',
  '#c23b52',
  '#2b9a66',
  '#8e5fc9',
  '#5f6b7a',
  '#b8a12c',
  '#1f9fb5',
]
const cell = { width: 51, height: 30 }

interface Drawn extends Panel {
  lines: { name: string; points: [x: number, y: number][] }[]
}

const app = await startWatchedApp()
const prometheus = await startPrometheus(app.metrics)
try {
  for (let second = 0; second < seconds; second += 1) {
    app.fail(second > 40 && second < 60)
    await app.deliver(5 + Math.round(15 * Math.abs(Math.sin(second / 9))))
    if (second === 55) await app.deliverUnreadable()
    await delay(900)
  }
  const panels: Drawn[] = []
  for (const panel of readDashboard().panels) panels.push({ ...panel, lines: await linesOf(panel) })
  await takePicture(panels)
  console.log('docs/operations/dashboard.png is new.')
} finally {
  await prometheus.stop()
  await app.stop()
}

async function linesOf({ targets = [] }: Panel): Promise<Drawn['lines']> {
  const found = await Promise.all(
    targets.map(async ({ expr, legendFormat }) => {
      const series = await prometheus.query(fillQuery(expr), seconds)
      return series.map((one) => ({ name: nameOf(one, legendFormat), points: pointsOf(one) }))
    }),
  )
  return found.flat()
}

function nameOf({ metric }: Series, legendFormat: string): string {
  return legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '')
}

function pointsOf({ values }: Series): [number, number][] {
  return values
    .map(([time, value]): [number, number] => [time, Number(value)])
    .filter(([, value]) => Number.isFinite(value))
}

async function takePicture(panels: Drawn[]): Promise<void> {
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.setContent(pageOf(panels))
  await page.screenshot({ path, fullPage: true })
  await browser.close()
}

function pageOf(panels: readonly Drawn[]): string {
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * cell.height
  return `<!doctype html><style>
    body { margin: 12px; width: 1224px; height: ${height}px; position: relative; font: 12px sans-serif;
      background: #f4f5f7; color: #24292e }
    section { position: absolute; box-sizing: border-box; padding: 6px 8px; background: white;
      border: 1px solid #e1e4e8; border-radius: 3px; overflow: hidden }
    section.row { background: none; border: 0; font-weight: bold }
    b { display: block; font-weight: 600 }
    .value { font-size: 34px; text-align: center; line-height: 76px }
    .legend { color: #57606a } .legend i { font-style: normal; margin-right: 10px }
  </style>${panels.map((panel) => sectionOf(panel)).join('')}`
}

function sectionOf(panel: Drawn): string {
  const { type, title, gridPos, lines } = panel
  const { x, y, w, h } = gridPos
  const size = { width: w * cell.width - 6, height: h * cell.height - 6 }
  const style = `left:${x * cell.width}px;top:${y * cell.height}px;width:${size.width}px;height:${size.height}px`
  if (type === 'row') return `<section class="row" style="${style}">${title}</section>`
  const last = lines[0]?.points.at(-1)?.[1]
  const content =
    type === 'stat'
      ? `<div class="value">${last === undefined ? '–' : formatted(last, panel)}</div>`
      : graphOf(panel, size.width - 16, size.height - 58)
  return `<section style="${style}"><b>${title}</b>${content}</section>`
}

function graphOf(panel: Drawn, width: number, height: number): string {
  const { lines } = panel
  const points = lines.flatMap((line) => line.points)
  const top = Math.max(...points.map(([, value]) => value), 0.001)
  const begin = Math.min(...points.map(([time]) => time))
  const scale = ([time, value]: [number, number]) =>
    `${(((time - begin) / seconds) * width).toFixed(1)},${(height - (value / top) * height).toFixed(1)}`
  const drawn = lines.map(
    ({ points: own }, index) =>
      `<polyline fill="none" stroke="${colors[index % colors.length]}" stroke-width="1.5"
        points="${own.map((point) => scale(point)).join(' ')}"/>`,
  )
  const legend = lines.map(
    ({ name }, index) => `<i style="color:${colors[index % colors.length]}">${name}</i>`,
  )
  return `<div class="legend">up to ${formatted(top, panel)}</div>
    <svg width="${width}" height="${height}" style="border-bottom:1px solid #d0d7de">${drawn.join('')}</svg>
    <div class="legend">${legend.join('')}</div>`
}

function formatted(value: number, { fieldConfig }: Panel): string {
  const unit = fieldConfig?.defaults.unit
  if (unit === 's')
    return value < 1 ? `${(value * 1_000).toPrecision(3)} ms` : `${value.toFixed(1)} s`
  return `${Number(value.toPrecision(3))}${unit === 'reqps' || unit === 'ops' ? ' /s' : ''}`
}
