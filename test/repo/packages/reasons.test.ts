import { expect, it } from 'vitest'
import { classify } from '@feed-receiver/sender/internal'
import { afterStatus } from '@feed-receiver/core/internal'
import { reasons, type Meaning } from '@feed-receiver/core'

it.each(Object.entries(reasons))(
  'names the next step of the sender: %s',
  (_, { status, sender }) => {
    expect(classify(status).result).toBe(sender)
  },
)

it('knows the next step of the sender for each status', () => {
  for (let status = 200; status <= 599; status += 1) {
    expect([status, afterStatus(status)]).toEqual([status, classify(status).result])
  }
})

it('has a fix for each rejection, and for nothing else', () => {
  for (const { error, fix } of Object.values<Meaning>(reasons)) {
    expect(fix === undefined).toBe(error === undefined)
  }
})
