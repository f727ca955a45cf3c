import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { alertRules } from '@feed-receiver/operate/alerts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { until } from '../../support/until.ts'
import { dashboardFile, fillQuery, readDashboard } from './dashboard.ts'
import { startPrometheus, type Prometheus } from './prometheus.ts'
import { startWatchedApp } from './start-watched-app.ts'

const run = promisify(execFile)
const docs = join(root, 'docs/operations')

describe('the alert rules', () => {
  it('pass promtool', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', join(docs, 'prometheus-rules.yml')])
    expect(stdout).toContain('SUCCESS')
  })

  it('stay silent in a quiet night, and detect each incident', async () => {
    const tests = fileURLToPath(new URL('rules.promtest.yml', import.meta.url))
    expect((await run('promtool', ['test', 'rules', tests])).stdout).toContain('SUCCESS')
  })

  it('have a section of the runbook each, like those of createAlerts', async () => {
    const runbook = await readFile(join(docs, 'runbook.md'), 'utf8')
    const rules = await readFile(join(docs, 'prometheus-rules.yml'), 'utf8')
    const names = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(8)
    const sections = [...runbook.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    expect(sections).toEqual(expect.arrayContaining(names))
    const links = [...rules.matchAll(/runbook\.md#(\w+)/g)].map(([, anchor]) => anchor)
    expect(links).toEqual(names.map((name) => name?.toLowerCase()))
    const mentioned = [...runbook.matchAll(/^Alert rules: (.*)$/gm)].flatMap(([, list]) =>
      [...(list ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    expect(mentioned.toSorted()).toEqual(alertRules.map(({ name }) => name).toSorted())
  })
})

describe('the dashboard', () => {
  it('matches the schema of Grafana', async () => {
    const tools = join(root, 'test/support/tools')
    const file = join(tools, `dashboard-${process.pid}.ts`)
    const json = await readFile(dashboardFile, 'utf8')
    await writeFile(
      file,
      `import type { Dashboard } from '@grafana/schema'
        // JSON has the values of enums.
        type Written<T> = T extends string ? \`\${T}\` : Fields<T>
        type Fields<T> = T extends object ? { [Key in keyof T]: Written<T[Key]> } : T
        export const dashboard: Written<Dashboard> = ${json}`,
    )
    try {
      const options = [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--module',
        'nodenext',
        '--target',
        'es2023',
      ]
      const { stdout } = await run('npx', ['tsc', ...options, file], { cwd: tools })
      expect(stdout).toBe('')
    } finally {
      await rm(file)
    }
  })

  it('has panels with unique ids that do not overlap', () => {
    const { panels } = readDashboard()
    const taken = new Set<string>()
    for (const { gridPos } of panels) {
      const { x, y, w, h } = gridPos
      expect(x + w).toBeLessThanOrEqual(24)
      for (let column = x; column < x + w; column += 1) {
        for (let line = y; line < y + h; line += 1) {
          expect(taken).not.toContain(`${column}/${line}`)
          taken.add(`${column}/${line}`)
        }
      }
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })
})

describe('a Prometheus that scrapes an app', () => {
  let app: Awaited<ReturnType<typeof startWatchedApp>>
  let prometheus: Prometheus

  beforeAll(async () => {
    app = await startWatchedApp()
    await app.deliver(1)
    prometheus = await startPrometheus(app.metrics)
  }, 60_000)
  afterAll(async () => {
    await prometheus.stop()
    await app.stop()
  })

  it('has loaded every rule', async () => {
    expect(await prometheus.rules()).toHaveLength(11)
  })

  it('has data for the query of every panel', async () => {
    const queries = readDashboard().panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ title, query: fillQuery(expr) })),
    )
    expect(queries.length).toBeGreaterThan(20)
    await app.deliverUnreadable()
    for (const { title, query } of queries) {
      await until(
        `${title} has values: ${query}`,
        async () => {
          await app.deliver(20)
          const series = await prometheus.query(query, 20)
          return series.some(({ values }) => values.some(([, value]) => value !== 'NaN'))
        },
        { withinMs: 90_000 },
      )
    }
  })

  it('fires the alert for quarantined deliveries', async () => {
    const query = 'ALERTS{alertname="FeedReceiverQuarantine"}'
    await expect
      .poll(() => prometheus.query(query, 5), { timeout: 60_000 })
      .toMatchObject([{ metric: { alertstate: 'pending', feed_source: 'feed' } }])
  })
})
