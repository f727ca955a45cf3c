import { checkLeadsOn, type Page, type UnreadableItem } from './read-page.ts'

/** The items of all pages, one after the other; `pages()` gives them page by page. */
export interface Stream<Item> extends AsyncIterable<Item> {
  pages(): AsyncIterable<Page<Item>>
}

export interface StreamOptions<Item> {
  getPage: (cursor: string | null) => Promise<Page<Item>>
  /** Where to begin. */
  cursor: string | null
  /** The item before which to end. */
  isEnd?: (item: Item) => boolean
  onUnreadable: (item: UnreadableItem) => void
}

/** Follows the cursors for as long as there is more, in whatever order the items come. */
export function createStream<Item>({
  getPage,
  cursor: first,
  isEnd = () => false,
  onUnreadable,
}: StreamOptions<Item>): Stream<Item> {
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items, unreadable } of pages()) {
        unreadable.forEach(onUnreadable)
        yield* items
      }
    },
  }

  async function* pages(): AsyncGenerator<Page<Item>> {
    for (let cursor = first; ;) {
      const page = await getPage(cursor)
      const end = page.items.findIndex(isEnd)
      if (end >= 0) {
        yield { ...page, items: page.items.slice(0, end), hasMore: false }
        return
      }
      yield page
      checkLeadsOn(page, cursor)
      if (!page.hasMore) return
      cursor = page.cursor
    }
  }
}
