import type { Tx } from '@feed-receiver/database'
import { beforeAll, describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { combineHandlers, createInbox, RetryAfter, type Handlers, type Inbox } from '../index.ts'

describeOnEach('combined handlers, on %s,', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0
  beforeAll(() => database().query('create table note (writer text, event_id text)'))

  it('run in one transaction, with effects of their own under one key', embedded, async () => {
    const order: string[] = []
    const writer = (name: string): Handlers => ({
      model_release: async ({ id }, { tx, effects }) => {
        const said = await effects.once('say', () => {
          order.push(`${name} says`)
          return name
        })
        await write(tx, said, id)
        order.push(`${name} wrote`)
      },
    })
    const event = await handle(
      combineHandlers({ first: writer('first'), second: writer('second') }),
    )
    expect(order).toEqual(['first says', 'second says', 'first wrote', 'second wrote'])
    expect(await notesOf(event.id)).toEqual(['first', 'second'])
    const effects = await effectsOf(event.id)
    expect(effects).toEqual(['first/say', 'second/say'])
  })

  it('are rolled back together, and run again without repeating effects', async () => {
    const said: string[] = []
    const runs: string[] = []
    const event = await handle(
      combineHandlers({
        fine: {
          '*': async ({ id }, { tx, effects }) => {
            runs.push('fine')
            await effects.once('say', () => void said.push('fine'))
            await write(tx, 'fine', id)
          },
        },
        failing: {
          '*': async ({ id }, { tx, effects, attempt }) => {
            runs.push('failing')
            await effects.once('say', () => void said.push('failing'))
            await write(tx, 'failing', id)
            expect(await notesOf(id, tx)).toEqual(['failing', 'fine'])
            if (attempt === 1) throw new RetryAfter(0)
          },
        },
      }),
    )
    expect(runs).toEqual(['fine', 'failing', 'fine', 'failing'])
    expect(said).toEqual(['fine', 'failing'])
    expect(await notesOf(event.id)).toEqual(['failing', 'fine'])
  })

  it('end before a failure of another one is reported', async () => {
    const ends: string[] = []
    await handle(
      combineHandlers({
        waiting: {
          '*': async ({ id }, { tx }) => {
            await write(tx, 'waiting', id).finally(() => ends.push('waiting'))
          },
        },
        failing: {
          '*': (_, { attempt }) => {
            if (attempt === 1) throw new RetryAfter(0)
            ends.push('failing')
          },
        },
      }),
    )
    expect(ends).toEqual(['waiting', 'failing', 'waiting'])
  })

  it('still reject an effect after a statement of their own', async () => {
    const codes: unknown[] = []
    const late: Handlers = {
      '*': async ({ id }, { tx, effects }) => {
        await write(tx, 'late', id)
        const failure = effects.once('late', () => 1).catch((error: unknown) => error)
        codes.push(Reflect.get(Object(await failure), 'code'))
      },
    }
    await handle(combineHandlers({ late, other: { '*': () => {} } }))
    expect(codes).toEqual(['effect_inside_tx'])
  })

  async function handle(handlers: Handlers) {
    const inbox = await startInbox()
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await expect
      .poll(async () => {
        await inbox.drain(handlers, { onFailed: () => {} })
        return (await inbox.entries.get(event.id))?.state
      })
      .toBe('done')
    return event
  }

  async function startInbox(): Promise<Inbox> {
    sources += 1
    const inbox = createInbox({ database: database(), source: `combined${sources}` })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }

  async function write(tx: Tx, writer: string, id: string): Promise<void> {
    await tx.query('insert into note values ($1, $2)', [writer, id])
  }

  async function notesOf(id: string, from: Pick<Tx, 'query'> = database()): Promise<string[]> {
    const text = 'select writer from note where event_id = $1 order by writer'
    return (await from.query<{ writer: string }>(text, [id])).rows.map(({ writer }) => writer)
  }

  async function effectsOf(id: string): Promise<string[]> {
    const { rows } = await database().query<{ key: string }>(
      `select key from feed_inbox.effect
       join feed_inbox.entry on entry.id = entry_id where event_id = $1 order by key`,
      [id],
    )
    return rows.map(({ key }) => key)
  }
})

describe('combineHandlers', () => {
  it('handles the types of all sets, each by the handler that its set would use', async () => {
    const calls: string[] = []
    const call = (name: string) => () => void calls.push(name)
    const {
      outage_started: outage,
      '*': any,
      futureTypes,
      ...others
    } = combineHandlers({
      one: { outage_started: call('one'), futureTypes: { model_renamed: call('renamed') } },
      two: { '*': call('two'), futureTypes: { outage_started: call('two outage') } },
    })
    expect(Object.keys(others)).toEqual([])
    await run(outage, 'outage_started')
    await run(any, 'model_release')
    await run(futureTypes?.['model_renamed'], 'model_renamed')
    expect(calls).toEqual(['one', 'two outage', 'two', 'renamed', 'two'])

    async function run(handler: unknown, type: string) {
      // oxlint-disable-next-line typescript/no-unsafe-function-type
      await (handler as Function)({ ...makeEvent(), type }, { tx: {}, effects: {} })
    }
  })

  it.each(['', 'a/b'])('rejects the name %j', (name) => {
    expect(() => combineHandlers({ [name]: {} })).toThrow(
      expect.objectContaining({ code: 'bad_handler' }),
    )
  })

  it('rejects a set with a handler that is no function', () => {
    const sets = { one: { outage_started: undefined } } as unknown as Record<string, Handlers>
    expect(() => combineHandlers(sets)).toThrow(/The handler of 'outage_started' must be/)
  })

  it('infers the types of events and transactions', () => {
    const combined = combineHandlers({
      one: {
        outage_started: (event, { tx }) => {
          expectTypeOf(event.type).toEqualTypeOf<'outage_started'>()
          expectTypeOf(tx).toEqualTypeOf<Tx>()
        },
      },
    })
    expectTypeOf(combined).toEqualTypeOf<Handlers>()
    interface AppTx {
      insert(): Promise<void>
    }
    const ofApp: Handlers<AppTx> = combineHandlers({
      one: { '*': (_, { tx }) => tx.insert() },
    })
    // @ts-expect-error only futureTypes may have it
    const unknown = combineHandlers({ one: { model_renamed: () => {} } })
    expect([ofApp, unknown]).toHaveLength(2)
  })
})
