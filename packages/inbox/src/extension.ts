import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Tx } from '@feed-receiver/database'
import type { InboxContext, InboxStore } from './context.ts'
import type { TablePrivileges } from './entry/tables.ts'
import { checkOption, InboxError } from './errors.ts'
import { checkTables } from './preflight/check-database.ts'
import { installTables } from './schema/inbox-sql.ts'

/** What an extension adds to an inbox. */
export interface InboxExtension {
  /** 1 to 20 of a-z and _, but not `lock`. Replaces an extension of the same name. */
  name: string
  /**
   * Its tables in the schema of the inbox, as numbered migrations: `{ '0001-notes': 'create …' }`.
   * They are applied when the inbox starts, or before the first use if it runs already.
   * @default no tables
   */
  migrations?: Readonly<Record<string, string>>
  /**
   * The privileges that it needs on its tables: `{ note: ['select', 'insert'] }`. After migrating,
   * the inbox checks these tables like its own. Errors: `unfit_database`.
   * @default no tables are checked
   */
  tables?: TablePrivileges
  /**
   * Called by each worker every five minutes, by drains at most as often, and before `prune` deletes
   * entries. Once the signal aborts, nobody waits for it for longer than a second.
   */
  maintain?(context: InboxContext, options: MaintainOptions): Promise<unknown>
  /**
   * Called before `prune` deletes entries, in the same transaction, with their ids. Resolves to the
   * ids that it may delete. Once a source has had such an extension, `prune` deletes no entries
   * without it.
   */
  mayDelete?(context: InboxContext, tx: Tx, entryIds: readonly number[]): Promise<readonly number[]>
  /** Called after `mayDelete` of all extensions, with the ids that are deleted next. */
  beforeDelete?(context: InboxContext, tx: Tx, entryIds: readonly number[]): Promise<unknown>
}

export interface MaintainOptions {
  /** Aborts when the inbox stops, in a `drain` after some seconds, and in a `prune` as its signal. */
  signal: AbortSignal
  /** Whether `prune` waits for it, which may then take some seconds longer. */
  isPruning: boolean
}

interface Maintenance extends MaintainOptions {
  onError: (error: unknown) => void
}

/** The key of an inbox's `ExtensionPoint`, the same in every copy of this package. */
export const extensionPoint: unique symbol = Symbol.for('@feed-receiver/inbox/extend')

/** What an inbox offers to its extensions. */
export interface ExtensionPoint {
  add(extension: InboxExtension): void
  /**
   * Errors: `not_running`, `inside_tx`, and `not_migrated` and `unfit_database` of its extensions.
   */
  run<Result>(task: (context: InboxContext) => Promise<Result>): Promise<Result>
}

/** The extensions of one inbox by name, which outlive a stop. */
export type Extensions = Map<string, InboxExtension>

export function addExtension(extensions: Extensions, extension: InboxExtension): void {
  const { name } = extension
  const isName = /^(?!lock$)[a-z][a-z_]{0,19}$/.test(name)
  checkOption(isName, 'name: use 1 to 20 of a-z and _, but not lock.')
  extensions.set(name, extension)
}

/** The extensions of a running inbox. */
export interface OpenExtensions {
  /** Resolves once the tables of all extensions exist. */
  ready(): Promise<void>
  /** Runs the maintenance of each extension, also if that of another fails. */
  maintain(options: Maintenance): Promise<void>
  /**
   * Asks the extensions which entries may be deleted, and tells them which are. Rejects with
   * `extension_missing` if one is missing that must be asked.
   */
  beforeDelete(tx: Tx, entryIds: readonly number[]): Promise<readonly number[]>
}

interface OpenOptions {
  context: InboxContext
  extensions: Extensions
  schema: string
  migrate: boolean
}

/** How long an extension may take to end after its signal has aborted. */
const patienceMs = 1_000

export function openExtensions(opened: OpenOptions): OpenExtensions {
  const { context, extensions, schema, migrate } = opened
  const { database, tables, source } = context
  const installed = new WeakMap<InboxExtension, Promise<void>>()
  return { ready, maintain, beforeDelete }

  async function ready(): Promise<void> {
    for (const extension of extensions.values()) {
      const installing = installed.get(extension) ?? install(extension)
      installed.set(extension, installing)
      await installing.catch((error: unknown) => {
        installed.delete(extension)
        throw error
      })
    }
  }

  async function install(extension: InboxExtension): Promise<void> {
    const { name, migrations, tables: own } = extension
    if (migrations) await installTables(database, { schema, migrate, migrations, owner: name })
    if (own) await checkTables(database, { schema, tables: own })
    if (seesDeletions(extension)) await registerExtension(context, name)
  }

  async function maintain({ onError, ...options }: Maintenance): Promise<void> {
    try {
      await ready()
    } catch (error) {
      onError(error)
      return
    }
    for (const extension of extensions.values()) {
      if (options.signal.aborted) return
      try {
        await untilAborted(extension.maintain?.(context, options), options.signal)
      } catch (error) {
        onError(error)
      }
    }
  }

  async function beforeDelete(tx: Tx, entryIds: readonly number[]): Promise<readonly number[]> {
    const all = [...extensions.values()]
    const { rows } = await tx.query<{ name: string }>(
      `select name from ${tables.extension} where source = $1`,
      [source],
    )
    const names = all.filter(seesDeletions).map(({ name }) => name)
    const missing = rows.find(({ name }) => !names.includes(name))
    if (missing) {
      throw new InboxError(
        'extension_missing',
        `prune deletes no entries here, because the extension ${missing.name} of ${source} must see them before, and this process does not have it. Add it to this inbox; if nobody uses it any more, delete its row from ${tables.extension}.`,
      )
    }
    let ids = entryIds
    for (const extension of all) {
      const allowed = await extension.mayDelete?.(context, tx, ids)
      if (allowed) ids = ids.filter((id) => allowed.includes(id))
    }
    if (ids.length === 0) return ids
    for (const extension of all) await extension.beforeDelete?.(context, tx, ids)
    return ids
  }
}

/**
 * From now on, `prune` deletes no entries of this source in a process without this extension. An
 * inbox does it by itself for its extensions with `mayDelete` or `beforeDelete`.
 */
export async function registerExtension(
  { database, tables, source }: InboxStore,
  name: string,
): Promise<void> {
  const text = `insert into ${tables.extension} (source, name) values ($1, $2)
    on conflict do nothing`
  await database.query(text, [source, name])
}

function seesDeletions({ mayDelete, beforeDelete }: InboxExtension): boolean {
  return mayDelete !== undefined || beforeDelete !== undefined
}

/** Waits for a task, but not for long after the signal has aborted. */
async function untilAborted(task: Promise<unknown> | undefined, signal: AbortSignal) {
  const ended = new AbortController()
  const untilEnd = { signal: ended.signal }
  const late = once(signal, 'abort', untilEnd).then(() => delay(patienceMs, undefined, untilEnd))
  try {
    await Promise.race([task, late.catch(() => undefined)])
  } finally {
    ended.abort()
  }
}
