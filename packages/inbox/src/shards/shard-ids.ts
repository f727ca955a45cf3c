import { maxShards } from './choose-shard.ts'

/** The id of a row of a shard among those of all shards. It stays when shards are added at the end. */
export function toSharedId(id: number, shard: number): number {
  return id * maxShards + shard
}

/** Takes such an id apart. */
export function fromSharedId(shared: number): { id: number; shard: number } {
  return { id: Math.floor(shared / maxShards), shard: shared % maxShards }
}

/** A row with the id that it has among those of all shards. */
export function shareId<Row extends { id: number }>(row: Row, shard: number): Row {
  return { ...row, id: toSharedId(row.id, shard) }
}
