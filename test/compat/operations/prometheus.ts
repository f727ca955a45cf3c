import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startCommand } from '../../support/start-program.ts'
import { until } from '../../support/until.ts'
import { freePort } from '../../support/free-port.ts'

/** One series of a graph. */
export interface Series {
  metric: Record<string, string>
  /** Seconds since 1970, and the value. */
  values: [time: number, value: string][]
}

export interface Prometheus {
  /** The result of a query over the last seconds, with a value each second. */
  query(expression: string, seconds: number): Promise<Series[]>
  /** The names of the alert rules that it has loaded. */
  rules(): Promise<string[]>
  stop(): Promise<void>
}

const rulesFile = fileURLToPath(
  new URL('../../../docs/operations/prometheus-rules.yml', import.meta.url),
)

/**
 * Starts a Prometheus with our rules that scrapes an address every three seconds, and waits for the
 * first scrape.
 */
export async function startPrometheus(target: URL): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-prometheus-'))
  const port = await freePort()
  const config = join(folder, 'prometheus.yml')
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '3s', scrape_timeout: '3s', evaluation_interval: '1s' },
      rule_files: [rulesFile],
      scrape_configs: [
        {
          job_name: 'feed-receiver',
          metrics_path: target.pathname,
          static_configs: [{ targets: [target.host] }],
        },
      ],
    }),
  )
  const server = startCommand('prometheus', [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ])
  let hasEnded = false
  void server.ended.then(() => (hasEnded = true))
  const api = `http://127.0.0.1:${port}/api/v1`
  await until('Prometheus has scraped the app', async () => {
    if (hasEnded) throw new Error(`Prometheus ended:\n${server.printed}`)
    const response = await fetch(`${api}/targets`).catch(() => undefined)
    return response?.ok && (await response.text()).includes('"health":"up"')
  })

  return {
    async query(expression, seconds) {
      const end = Date.now() / 1_000
      const range = { start: String(end - seconds), end: String(end), step: '1' }
      const asked = new URLSearchParams({ query: expression, ...range })
      const { data } = await ask<{ result: Series[] }>(`query_range?${asked.toString()}`)
      return data.result
    },
    async rules() {
      const { data } = await ask<{ groups: { rules: { name: string }[] }[] }>('rules')
      return data.groups.flatMap(({ rules }) => rules.map(({ name }) => name))
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }

  async function ask<Data>(path: string): Promise<{ data: Data }> {
    const response = await fetch(`${api}/${path}`)
    if (!response.ok) throw new Error(`Prometheus answered ${path}: ${await response.text()}`)
    const answer: { data: Data } = JSON.parse(await response.text())
    return answer
  }
}
