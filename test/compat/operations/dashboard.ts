import { readFileSync } from 'node:fs'

/** The part of a dashboard panel that the tests use. */
export interface Panel {
  id: number
  type: 'row' | 'stat' | 'timeseries'
  title: string
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>
  fieldConfig?: { defaults: { unit: string } }
  targets?: { expr: string; legendFormat: string }[]
}

export interface Dashboard {
  panels: Panel[]
}

export const dashboardFile = new URL(
  '../../../docs/operations/grafana-dashboard.json',
  import.meta.url,
)

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(dashboardFile, 'utf8'))
}

/** The query of a panel, with the variables that Grafana sets. */
export function fillQuery(expression: string): string {
  return expression.replaceAll('$source', '.*').replaceAll('$__rate_interval', '15s')
}
