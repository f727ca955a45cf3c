import { expect, it } from 'vitest'
import { classify } from '@feed-receiver/sender'
import { afterStatus, mends, reasons } from '@feed-receiver/core'

it.each(Object.entries(reasons))('says what the sender does next: %s', (_, { status, sender }) => {
  expect(classify(status).result).toBe(sender)
})

it('knows for each status what the sender does next', () => {
  for (let status = 200; status <= 599; status += 1) {
    expect([status, afterStatus(status)]).toEqual([status, classify(status).result])
  }
})

it('says what to do about each rejection, and about nothing else', () => {
  const rejections = Object.entries(reasons).filter(([, { error }]) => error !== undefined)
  expect(Object.keys(mends).toSorted()).toEqual(rejections.map(([reason]) => reason).toSorted())
})
