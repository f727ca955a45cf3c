import type { ItemKind } from './read-page.ts'

interface Schema<Item> {
  safeParse(value: unknown): {
    success: boolean
    data?: Item | undefined
    error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined
  }
}

/** Makes the kind of a schema. Items are kept as they came, not as the schema's copies. */
export function kindOf<Item>(schema: Schema<Item>): ItemKind<Item> {
  return {
    read(value) {
      const { success, error } = schema.safeParse(value)
      const read = { item: value, success }
      if (isItem(read)) return { item: read.item }
      const issues = error?.issues.slice(0, 5) ?? []
      return {
        detail: issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
      }
    },
  }

  function isItem(read: { item: unknown; success: boolean }): read is ReadItem<Item> {
    return read.success
  }
}

interface ReadItem<Item> {
  item: Item
  success: true
}
