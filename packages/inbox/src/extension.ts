import type { Tx } from '@feed-receiver/database'
import type { InboxContext } from './context.ts'
import { checkOption, problem } from './errors.ts'
import { installTables } from './schema/inbox-sql.ts'

/** What an extension adds to an inbox. */
export interface InboxExtension {
  /** 1 to 20 of a-z and _. An extension replaces another one of the same name. */
  name: string
  /**
   * Its tables in the schema of the inbox, as numbered migrations: `{ '0001-notes': 'create …' }`.
   * They are applied when the inbox starts, or at the first call of `context`.
   * @default no tables
   */
  migrations?: Readonly<Record<string, string>>
  /**
   * Called by each worker every five minutes, by drains at most as often, and before `prune` deletes
   * entries. It should end soon once the signal aborts. Its errors go to `onError`.
   */
  maintain?(context: InboxContext, signal: AbortSignal): Promise<unknown>
  /**
   * Called before `prune` deletes entries, in the same transaction, with their ids. Resolves to the
   * ids that it may delete. Once an inbox has had such an extension, `prune` deletes no entries
   * without it.
   */
  beforeDelete?(
    context: InboxContext,
    tx: Tx,
    entryIds: readonly number[],
  ): Promise<readonly number[]>
}

/** The key of an inbox's `ExtensionPoint`, the same in every copy of this package. */
export const extensionPoint: unique symbol = Symbol.for('@feed-receiver/inbox/extend')

/** What an inbox offers to its extensions. */
export interface ExtensionPoint {
  add(extension: InboxExtension): void
  /**
   * The running inbox, once its extensions have their tables. Errors: `not_running`,
   * `not_migrated`.
   */
  context(): Promise<InboxContext>
}

/** The extensions of one inbox, which outlive a stop. */
export interface Extensions {
  add(extension: InboxExtension): void
  all(): readonly InboxExtension[]
}

export function createExtensions(): Extensions {
  const added = new Map<string, InboxExtension>()
  return {
    add(extension) {
      const { name } = extension
      checkOption(/^[a-z][a-z_]{0,19}$/.test(name), 'name: use 1 to 20 of a-z and _.')
      added.set(name, extension)
    },
    all: () => [...added.values()],
  }
}

/** The extensions of a running inbox. */
export interface OpenExtensions {
  /** Resolves once the tables of all extensions exist. */
  ready(): Promise<void>
  /** Runs the maintenance of each extension, also if that of another fails. */
  maintain(signal: AbortSignal): Promise<void>
  /** Rejects if an extension is missing that must see entries before they are deleted. */
  checkDeleting(): Promise<void>
  /** The ids of the entries that may be deleted. */
  beforeDelete(tx: Tx, entryIds: readonly number[]): Promise<readonly number[]>
}

interface OpenOptions {
  context: InboxContext
  extensions: Extensions
  schema: string
  migrate: boolean
  onError: (error: unknown) => void
}

export function openExtensions({
  context,
  extensions,
  schema,
  migrate,
  onError,
}: OpenOptions): OpenExtensions {
  const { database, tables } = context
  const installed = new Map<InboxExtension, Promise<void>>()
  return { ready, maintain, checkDeleting, beforeDelete }

  async function ready(): Promise<void> {
    for (const extension of extensions.all()) {
      const installing = installed.get(extension) ?? install(extension)
      installed.set(extension, installing)
      try {
        await installing
      } catch (error) {
        installed.delete(extension)
        throw error
      }
    }
  }

  async function install({ name, migrations, beforeDelete: sees }: InboxExtension): Promise<void> {
    if (migrations) await installTables(database, { schema, migrate, migrations, owner: name })
    if (!sees) return
    const text = `insert into ${tables.extension} (name) values ($1) on conflict do nothing`
    await database.query(text, [name])
  }

  async function maintain(signal: AbortSignal): Promise<void> {
    for (const extension of extensions.all()) {
      if (signal.aborted) return
      await extension.maintain?.(context, signal).catch(onError)
    }
  }

  async function checkDeleting(): Promise<void> {
    const { rows } = await database.query<{ name: string }>(`select name from ${tables.extension}`)
    const here = extensions.all().filter((one) => one.beforeDelete)
    const missing = rows.find(({ name }) => here.every((one) => one.name !== name))
    if (!missing) return
    throw problem('extension_missing', { name: missing.name, table: tables.extension })
  }

  async function beforeDelete(tx: Tx, entryIds: readonly number[]): Promise<readonly number[]> {
    let ids = entryIds
    for (const extension of extensions.all()) {
      ids = (await extension.beforeDelete?.(context, tx, ids)) ?? ids
    }
    return ids
  }
}
