import { expect, describe, inject, it } from 'vitest'
import { checks } from '../../packages/cli/src/check/run-each.ts'
import { startChild } from '../support/child.ts'
import { createTestDatabase, runSql } from '../support/postgres.ts'
import { makeReceiver, path } from './make-receiver.ts'
import { checkReceiver, checkUrl, makerOf, namesOf, secrets } from './run-receiver.ts'
import { wrongReceivers, type WrongReceiver } from './wrong-receivers.ts'

const { 'jsonb-is-400': jsonb, 'ends-on-header': ending, ...faults } = wrongReceivers

describe('a wrong receiver is caught by the checks that name its fault', () => {
  it.concurrent('jsonb-is-400', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    await runSql(url, 'create table jsonb_event (id text primary key, event jsonb)')
    const make = makerOf(jsonb)
    const report = await checkReceiver((options) => make({ ...options, databaseUrl: url }), {
      storedCount: undefined,
    })
    expect(namesOf(report, 'failed').toSorted()).toEqual(jsonb.failed.toSorted())
    await drop()
  })

  it.concurrent('ends-on-header: what comes after it is not held against the receiver', async () => {
    const child = startChild(new URL('ends-on-header.ts', import.meta.url), [...secrets])
    const report = await checkUrl(`http://127.0.0.1:${await child.nextLine()}${path}`)
    expect(namesOf(report, 'failed')).toEqual(ending.failed)
    expect(
      report.results.filter(({ blockedBy }) => blockedBy === 'signature_malformed').length,
    ).toBe(report.score.blocked)
    expect(report.score.blocked).toBeGreaterThan(10)
    expect(await child.ended).toBe(1)
  })

  it.concurrent.each(Object.entries<WrongReceiver>(faults))('%s', async (_, wrong) => {
    const { failed = [], warnings = [] } = wrong
    const report = await checkReceiver(makerOf(wrong))
    expect(namesOf(report, 'failed').toSorted()).toEqual(failed.toSorted())
    expect(namesOf(report, 'warning').toSorted()).toEqual(warnings.toSorted())
    expect(report.hasPassed).toBe(failed.length === 0)
    expect(report.score.percent).toBeLessThan(100)
  })
})

describe('the table of wrong receivers', () => {
  it('has one for every check, so that each of them can fail', () => {
    const rows = Object.values<WrongReceiver>(wrongReceivers)
    const caught = rows.flatMap(({ failed = [], warnings = [] }) => [...failed, ...warnings])
    const names = checks.map(({ text }) => text.name)
    // Nobody writes a receiver that cannot be reached.
    const uncaught = names.filter((name) => name !== 'reachable' && !caught.includes(name))
    expect(uncaught).toEqual([])
  })

  it.concurrent('changes a receiver that passes every check', async () => {
    const report = await checkReceiver((options) => makeReceiver(options))
    expect(report.results.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect(report.score.percent).toBe(100)
  })
})
