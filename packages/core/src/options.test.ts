import { describe, expect, it } from 'vitest'
import { createReceiver } from './receiver.node.ts'
import { statuses, type Reason } from './reasons.ts'
import { memoryInbox } from './testing/index.ts'

const make = (options: object) =>
  createReceiver({ secrets: ['feed_whsec_options_0123456789'], inbox: memoryInbox(), ...options })

describe('options', () => {
  it.each([
    'toleranceSeconds',
    'maxBodyBytes',
    'maxInFlight',
    'deadlineMs',
    'secretsMaxAgeSeconds',
  ])('rejects a %s that would disable the check', (name) => {
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => make({ [name]: value })).toThrow(`${name} must be a number above 0`)
    }
  })

  it('rejects overrides that would pause the feed or end the delivery of an authentic event', () => {
    const pausing = [400, 401, 403, 404, 405, 410, 422, 302, 500]
    for (const status of pausing) {
      for (const reason of ['stored', 'not_json']) {
        expect(() => make({ statuses: { [reason]: status } })).toThrow('2xx, 429 or 503')
      }
    }
    for (const status of [...pausing, 200, 202]) {
      for (const reason of ['outside_window', 'store_failed', 'overloaded']) {
        const message = 'that is not stored may only be answered 429 or 503'
        expect(() => make({ statuses: { [reason]: status } })).toThrow(message)
      }
    }
    expect(() =>
      make({ statuses: { stored: 200, not_json: 503, store_failed: 429 } }),
    ).not.toThrow()
  })

  it('rejects an inbox that cannot store', () => {
    for (const inbox of [undefined, null, {}, 'inbox']) {
      expect(() => make({ inbox })).toThrow('createReceiver needs an inbox')
    }
  })

  it('rejects unknown reasons and statuses', () => {
    expect(() => make({ statuses: { nonsense: 200 } })).toThrow('there is no such reason')
    expect(() => make({ statuses: { constructor: 200 } })).toThrow('there is no such reason')
    expect(() => make({ statuses: { stored: 99 } })).toThrow('not an HTTP status')
    for (const stored of [204, 205, 304]) {
      expect(() => make({ statuses: { stored } })).toThrow('cannot have a body')
    }
  })

  it('answers no authentic delivery with a pausing status by default [R174]', () => {
    const pausing = new Set([400, 401, 403, 404, 405, 410, 422])
    const paused = Object.entries(statuses).filter(([, status]) => pausing.has(status))
    const reasons: Reason[] = [
      'signature_missing',
      'signature_malformed',
      'signature_mismatch',
      'method_not_allowed',
    ]
    expect(paused.map(([reason]) => reason)).toEqual(reasons)
  })
})
