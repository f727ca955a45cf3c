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
    is: (value): value is Item => schema.safeParse(value).success,
    explain(value) {
      const issues = schema.safeParse(value).error?.issues ?? []
      return issues
        .slice(0, 5)
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('; ')
    },
  }
}
