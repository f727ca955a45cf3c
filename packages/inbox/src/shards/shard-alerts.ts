import type { CheckAlertsOptions } from '../alerts/check-alerts.ts'
import type { AlertRow, ListAlertsOptions } from '../alerts/list-alerts.ts'
import { checkPageSize } from '../entry/page.ts'
import { askAll, askSome, sayOfShard, type Shards } from './ask-shards.ts'
import { shareId } from './shard-ids.ts'

/** The alerts of all shards. Each shard is watched separately, and its alerts name it. */
export function createShardAlerts<AppTx>(shards: Shards<AppTx>) {
  const share = <Row extends AlertRow>(row: Row, index: number): Row => ({
    ...shareId(row, index),
    message: sayOfShard(row.message, index, shards.all.length),
  })

  return {
    async list(options: ListAlertsOptions = {}): Promise<AlertRow[]> {
      const { limit = 50 } = options
      checkPageSize(limit)
      const found = await askSome(shards, async ({ inbox, index }) => {
        const rows = await inbox.alerts.list(options)
        return rows.map((row) => share(row, index))
      })
      const latest = found
        .flat()
        .toSorted((one, other) => other.openedAt.localeCompare(one.openedAt))
      const isOpen = ({ closedAt }: AlertRow) => closedAt === null
      return [...latest.filter(isOpen), ...latest.filter((row) => !isOpen(row))].slice(0, limit)
    },
    /** Checks every shard, even if another one fails. */
    async check(options: CheckAlertsOptions): Promise<void> {
      const { notify } = options
      await askAll(shards, ({ inbox, index }) =>
        inbox.alerts.check({
          ...options,
          notify(alert, settings) {
            const shared = share(alert, index)
            const idempotencyKey = `${alert.source}/${shared.id}/${alert.state}`
            return notify({ ...shared, idempotencyKey }, settings)
          },
        }),
      )
    },
  }
}
