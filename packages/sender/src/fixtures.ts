import type { FeedEvent, FeedEventData } from '@feed-receiver/core'
import { SenderError } from './errors.ts'
import { publicationEvents } from './fixtures/publications.ts'
import { serviceEvents } from './fixtures/services.ts'

/**
 * One made-up event of each documented type (R209), and one of a type that nobody knows (R210), in
 * order of `created_at`. The ids are stable, and every provider is fictional.
 */
export const fixtures: FeedEvent[] = [...serviceEvents, ...publicationEvents]

/** Members to put in place of those of the fixture; members of `data` are replaced one by one. */
export interface FixtureOverrides extends Partial<Omit<FeedEvent, 'data'>> {
  data?: Partial<FeedEventData>
}

/**
 * A fresh copy of the fixture of this type, with `overrides` laid over it. Two copies have the same id,
 * and so are the same event to a receiver, unless `overrides` has another.
 *
 * @throws SenderError `unknown_fixture` where there is none of this type.
 */
export function fixture(type: FeedEvent['type'], overrides: FixtureOverrides = {}): FeedEvent {
  const found = fixtures.find((event) => event.type === type)
  if (!found) {
    const types = fixtures.map((event) => event.type).join(', ')
    throw new SenderError(
      'unknown_fixture',
      `There is no fixture of this type. Use one of: ${types}.`,
    )
  }
  return structuredClone({ ...found, ...overrides, data: { ...found.data, ...overrides.data } })
}
