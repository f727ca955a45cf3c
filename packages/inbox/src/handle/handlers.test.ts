import type { FeedEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { fixture } from '@feed-receiver/sender'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool } from 'pg'
import { beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import {
  combineHandlers,
  createInbox,
  drizzleTransaction,
  findHandler,
  kyselyTransaction,
} from '../index.ts'
import type { EventOf, HandledType, Handler, HandlerContext, Handlers } from '../index.ts'
import { warnOfTypes } from './warnings.ts'

const ignore = () => {}
const notRunning = { code: 'not_running' }

describe('the handler types', () => {
  const inbox = createInbox()

  it('reject a key that is not an event type', async () => {
    // @ts-expect-error a letter is missing
    await expect(inbox.work({ outage_startd: ignore })).rejects.toMatchObject(notRunning)
    // @ts-expect-error beside one that is right
    await expect(inbox.drain({ '*': ignore, outageStarted: ignore })).rejects.toMatchObject(
      notRunning,
    )
    // @ts-expect-error in an annotated object
    const annotated: Handlers = { outage_startd: ignore }
    // @ts-expect-error in an object whose own type stays
    const satisfying = { outage_startd: ignore } satisfies Handlers
    // @ts-expect-error test deliveries reach no handler
    const tests: Handlers = { destination_test: ignore }
    const widened = { outage_startd: ignore }
    // @ts-expect-error nothing of it is a type
    await expect(inbox.work(widened)).rejects.toMatchObject(notRunning)
    expect([annotated, satisfying, tests]).toHaveLength(3)
  })

  it('include every type but test deliveries', () => {
    expectTypeOf<keyof Handlers>().toEqualTypeOf<HandledType | '*' | 'futureTypes'>()
    expectTypeOf<'destination_test'>().not.toExtend<HandledType>()
    expectTypeOf<'outage_started'>().toExtend<HandledType>()
    expect(fixture('outage_started').type).toBe('outage_started')
  })

  it('narrow the type of the event', async () => {
    const handlers = {
      outage_started: (event, context) => {
        expectTypeOf(event.type).toEqualTypeOf<'outage_started'>()
        expectTypeOf(event.data).toEqualTypeOf<FeedEvent['data']>()
        expectTypeOf(context).toEqualTypeOf<HandlerContext>()
        return event.type
      },
      '*': ({ type }) => {
        expectTypeOf(type).toEqualTypeOf<FeedEvent['type']>()
      },
      futureTypes: {
        model_renamed: ({ type }, { tx }) => {
          expectTypeOf(type).toEqualTypeOf<FeedEvent['type']>()
          expectTypeOf(tx).toEqualTypeOf<Tx>()
        },
      },
    } satisfies Handlers
    await expect(inbox.work(handlers)).rejects.toMatchObject(notRunning)
    const outage: EventOf<'outage_started'> = {
      ...fixture('outage_started'),
      type: 'outage_started',
    }
    expectTypeOf<Handler<Tx, 'outage_started'>>().parameter(0).toEqualTypeOf<typeof outage>()
    // @ts-expect-error another type
    const wrong: Handlers = { outage_started: ({ type }: EventOf<'model_release'>) => type }
    const shared: Handler = ({ type }) => type
    expect([wrong, { outage_started: shared, '*': shared } satisfies Handlers]).toHaveLength(2)
  })

  it('let types share a handler of any type or of these types', () => {
    const any: Handler = ({ type }) => type
    const both = ({ type }: EventOf<'outage_started' | 'outage_resolved'>) => type
    const one: Handler<Tx, 'outage_started'> = ({ type }) => type
    const handlers: Handlers[] = [
      { outage_started: any, outage_resolved: any },
      { outage_started: both, outage_resolved: both },
      // @ts-expect-error it takes events of another type
      { outage_started: one, outage_resolved: one },
    ]
    for (const each of handlers) expect(findHandler(each, 'outage_resolved')).toBeDefined()
  })

  it('pass the transaction of Drizzle to handlers', async () => {
    const page = pgTable('page', { eventId: text('event_id').notNull() })
    const own = createInbox({ transaction: drizzleTransaction(drizzle(new Pool()), sql) })
    const working = own.work({
      outage_started: async ({ id, type }, { tx }) => {
        expectTypeOf(type).toEqualTypeOf<'outage_started'>()
        await tx.insert(page).values({ eventId: id })
      },
      futureTypes: {
        model_renamed: async ({ id }, { tx }) => {
          // @ts-expect-error no method of a transaction
          expect(tx.inser).toBeUndefined()
          await tx.insert(page).values({ eventId: id })
        },
      },
    })
    await expect(working).rejects.toMatchObject(notRunning)
    // @ts-expect-error a handler of another transaction
    await expect(own.drain({ '*': (_, { tx }: HandlerContext) => tx })).rejects.toThrow('start')
  })

  it('pass the transaction of Kysely to handlers', async () => {
    interface Tables {
      page: { event_id: string }
    }
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool() }) })
    const own = createInbox({ transaction: kyselyTransaction(db) })
    const working = own.work({
      '*': async ({ id }, { tx }) => {
        expectTypeOf(tx).toEqualTypeOf<Transaction<Tables>>()
        await tx.insertInto('page').values({ event_id: id }).execute()
      },
      futureTypes: {
        model_renamed: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Transaction<Tables>>(),
      },
    })
    await expect(working).rejects.toMatchObject(notRunning)
  })
})

describe('findHandler', () => {
  it('finds the handler of a type, then the one for all', () => {
    const [outage, renamed, all] = [() => 1, () => 2, () => 3]
    const handlers = { outage_started: outage, futureTypes: { model_renamed: renamed }, '*': all }
    expect(findHandler(handlers, 'outage_started')).toBe(outage)
    expect(findHandler(handlers, 'model_renamed')).toBe(renamed)
    expect(findHandler(handlers, 'futureTypes')).toBe(all)
    expect(findHandler(handlers, 'destination_test')).toBeUndefined()
    expect(findHandler({ outage_started: outage }, 'model_renamed')).toBeUndefined()
  })

  it.each(['constructor', '__proto__', 'toString', 'futureTypes'])('finds a type %s', (type) => {
    expect(findHandler({}, type)).toBeUndefined()
    expect(findHandler({ futureTypes: { [type]: ignore } }, type)).toBe(ignore)
  })

  it('allows a known type in futureTypes, but not in both places', () => {
    const futureTypes = { outage_started: ignore }
    expect(findHandler({ futureTypes }, 'outage_started')).toBe(ignore)
    expect(() => findHandler({ futureTypes, outage_started: ignore }, 'any')).toThrow(
      expect.objectContaining({
        code: 'bad_handler',
        message: expect.stringContaining(
          "'outage_started' has two handlers, one of them in futureTypes. Remove one of the two. More: ",
        ),
      }),
    )
  })

  it.each([
    ['no object', { futureTypes: ignore }, 'futureTypes: use an object of handlers'],
    ['null', { futureTypes: null }, 'futureTypes: use an object of handlers'],
    [
      'no function',
      { futureTypes: { model_renamed: 'page' } },
      "'model_renamed' must be a function",
    ],
  ])('rejects future types with %s', (_, handlers, message) => {
    // @ts-expect-error what callers without types do
    expect(() => findHandler(handlers, 'any')).toThrow(message)
  })
})

describe('handler keys', () => {
  let warnings: string[] = []

  beforeEach(() => {
    warnings = []
    vi.spyOn(process, 'emitWarning').mockImplementation((warning: unknown, name: unknown) => {
      warnings.push(`${String(name)} ${String(warning)}`)
    })
  })

  it.each([
    ['outage_startd', 'outage_started'],
    ['outageStarted', 'outage_started'],
    ['model-release', 'model_release'],
    ['MODEL_RELEASE', 'model_release'],
    ['model_releases', 'model_release'],
    ['pricing_chagned', 'pricing_changed'],
  ])('warn once that %s may mean %s', (type, meant) => {
    warnOfTypes({ [type]: ignore })
    warnOfTypes({ [type]: ignore })
    expect(warnings).toEqual([
      `FeedInboxWarning '${type}' is not a known event type, so its handler may never run. Rename ` +
        `it to '${meant}', or move it into \`futureTypes\` if the type is new.`,
    ])
  })

  it.each(['destination_test', 'destination-test'])('warn that %s never runs', (type) => {
    warnOfTypes({ [type]: ignore })
    expect(warnings).toEqual([
      expect.stringContaining(`The handler of '${type}' never runs, because test deliveries`),
    ])
  })

  it('warn about a misspelled type in one of several sets', () => {
    const recipe = { '*': ignore, futureTypes: { model_renamed: ignore } }
    // @ts-expect-error a letter is missing
    combineHandlers({ recipe, own: { model_relase: ignore } })
    expect(warnings).toEqual([expect.stringContaining("'model_relase' is not a known event type")])
  })

  it('warn once about a misspelled type in priority', () => {
    for (const priority of [{ outage_startd: 10 }, { outage_startd: 5, model_renamed: 1 }]) {
      createInbox({ priority })
    }
    expect(warnings).toEqual([
      "FeedInboxWarning 'outage_startd' in the option priority is not a known event type, so it " +
        "may have no effect. Did you mean 'outage_started'?",
    ])
    createInbox({ priority: { outage_started: 10 } })
    expect(warnings).toHaveLength(1)
  })

  it('do not warn about known, declared or unrelated types', () => {
    const unlike = { constructor: ignore, model_renamed: ignore, ['x'.repeat(100)]: ignore }
    const known: object = { outage_started: ignore, '*': ignore, ...unlike }
    warnOfTypes(known)
    warnOfTypes({ futureTypes: { outage_startet: ignore } })
    warnOfTypes({})
    expect(warnings).toEqual([])
  })
})
