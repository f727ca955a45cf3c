import { expect, it } from 'vitest'
import { classify } from '@feed-receiver/sender'
import { reasons } from '../../packages/core/src/reasons.ts'

it.each(Object.entries(reasons))('says what the sender does next: %s', (_, { status, sender }) => {
  expect(classify(status).result).toBe(sender)
})
