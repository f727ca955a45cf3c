import { createInbox } from '@feed-receiver/inbox'
import { expect, it } from 'vitest'
import { alertRules, createAlerts, type AlertRuleOptions } from './index.ts'

const inbox = createInbox()
const create = (rules: unknown) =>
  createAlerts({ inbox, notify: () => {}, rules: rules as AlertRuleOptions })

it.each<[unknown, RegExp]>([
  [{ deaths: true }, /^rules: there is no rule deaths\. Use dead, oldest_pending, /],
  [{ constructor: {} }, /there is no rule constructor/],
  [{ ['__proto__']: {} }, /there is no rule __proto__/],
  [{ dead: 3 }, /^rules\.dead: use true, false or an object with some of count, days, /],
  [{ dead: null }, /^rules\.dead: use true/],
  [{ dead: [] }, /^rules\.dead: use true/],
  [{ dead: { hours: 3 } }, /^rules\.dead: use true/],
  [{ dead: { toString: 3 } }, /^rules\.dead: use true/],
  [
    { dead: { count: 0 } },
    /^rules\.dead\.count: use a whole number from 1 to 1000, not 0\. More: /,
  ],
  [{ dead: { count: 1.5 } }, /not 1\.5\. More: /],
  [{ dead: { count: '3' } }, /^rules\.dead\.count: use a whole number/],
  [{ dead: { days: Number.NaN } }, /^rules\.dead\.days: use a number from .*, not NaN\. More: /],
  [{ silence: { hours: Number.POSITIVE_INFINITY } }, /not Infinity/],
  [{ failure_rate: { percent: 101 } }, /from 1 to 100/],
  [{ paused: { openAfterMinutes: -1 } }, /from 0 to/],
])('rejects %j', (rules, message) => {
  expect(() => create(rules)).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringMatching(message) }),
  )
})

it('accepts settings, switches and undefined', () => {
  const some = { silence: { hours: 6 }, dead: false, missed: true, paused: undefined }
  expect(() => create(some)).not.toThrow()
  expect(() => create({ dead: { count: undefined, days: 2, closeAfterMinutes: 0 } })).not.toThrow()
})

it('rejects invalid intervals and an empty list of targets', () => {
  for (const intervalMs of [0, -1, Number.NaN]) {
    expect(() => createAlerts({ inbox, notify: () => {}, intervalMs })).toThrow('intervalMs')
  }
  expect(() => createAlerts({ inbox, notify: [] })).toThrow('notify')
})

it('has texts for each rule, for runbooks to reference', () => {
  for (const { name, message, fix, settings } of alertRules) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(message).toMatch(/\.$/)
    expect(fix).toMatch(/^[A-Z].*\.$/)
    expect(settings).toMatchObject({ openAfterMinutes: expect.any(Number) })
  }
  expect(alertRules.filter(({ isOn }) => !isOn).map(({ name }) => name)).toEqual(['silence'])
})

it('names the option that resumes a paused type, because the alert may be about one', () => {
  const paused = alertRules.find(({ name }) => name === 'paused')
  expect(paused?.fix).toContain('`feed-receiver inbox resume`, with `--type <type>`')
})
