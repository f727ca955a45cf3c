import { maxShards } from './choose-shard.ts'

/** Combines the id of a row with its shard. Shards added at the end do not change the result. */
export function toSharedId(id: number, shard: number): number {
  return id * maxShards + shard
}

/** Splits such an id. */
export function fromSharedId(shared: number): { id: number; shard: number } {
  return { id: Math.floor(shared / maxShards), shard: shared % maxShards }
}

/** A row with its id among the rows of all shards. */
export function shareId<Row extends { id: number }>(row: Row, shard: number): Row {
  return { ...row, id: toSharedId(row.id, shard) }
}
