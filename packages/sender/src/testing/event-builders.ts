import { knownTypes, type FeedEvent, type KnownType } from '@feed-receiver/core'
import { fixture, type FixtureOverrides } from '../fixtures/fixtures.ts'

export interface BuilderOptions {
  /**
   * What every id begins with.
   * @default 'evt'
   */
  prefix?: string | undefined
}

/** A function for each documented type, which makes another event of it at each call. */
export type EventBuilders = Record<KnownType, (overrides?: FixtureOverrides) => FeedEvent>

/**
 * Makes builders of events, whose ids count up from 1: `evt_outage_started_1`, and so on. Builders
 * made anew begin anew, so that each test has the same ids whatever ran before it.
 */
export function eventBuilders({ prefix = 'evt' }: BuilderOptions = {}): EventBuilders {
  const builders = knownTypes.map((type) => {
    let count = 0
    const build = (overrides?: FixtureOverrides) => {
      count += 1
      return fixture(type, { id: `${prefix}_${type}_${count}`, ...overrides })
    }
    return [type, build] as const
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is one for each known type
  return Object.fromEntries(builders) as EventBuilders
}
