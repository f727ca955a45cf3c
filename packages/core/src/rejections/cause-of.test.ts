import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { Observation } from '../index.ts'
import { causeOf } from './cause-of.ts'

const failed: Observation = { notes: [], reason: 'store_failed', status: 503, durationMs: 1 }

it.each<[string, unknown, string | null]>([
  ['an error', new Error('the disk\nis full'), 'the disk is full'],
  ['a text', 'vault is down', 'vault is down'],
  ['an object', { token: 'hunter2' }, 'object'],
  ['nothing', undefined, null],
  [
    'a password in a URL',
    new Error('cannot reach postgres://app:p@ss/word@db/x'),
    'cannot reach postgres://***@db/x',
  ],
  ['a query', new Error('GET https://vault/x?sig=abc failed'), 'GET https://vault/x?*** failed'],
  ['a header', new Error('sent Authorization: Bearer abc.def'), 'sent Authorization: Bearer ***'],
  ['a setting', new Error('host=db password=hunter2 user=app'), 'host=db password=*** user=app'],
  ['a secret', new Error('bad feed_whsec_0123'), 'bad feed_***'],
  [
    'a password like that of an example',
    new Error('not postgres://user:password@2026@db/x'),
    'not postgres://***@db/x',
  ],
  ['a prefix', new Error('begin with feed_whsec_: copy it'), 'begin with feed_whsec_: copy it'],
  ['a secret in quotes', new Error('bad "feed_whsec_0123"'), 'bad "feed_***'],
  ['a key', new Error('GET /v1 with feed_live_0123'), 'GET /v1 with feed_***'],
  ['a file', new Error('in file:///app/@scope/x.js:3'), 'in file:///app/@scope/x.js:3'],
  // A SyntaxError quotes its input.
  ['a syntax error', new SyntaxError('Unexpected token \'f\', "feed_whse"...'), 'SyntaxError'],
  [
    'a syntax error with a name of its own',
    Object.assign(new SyntaxError('Unexpected token \'x\', "body"...'), { name: 'JsonError' }),
    'JsonError',
  ],
  [
    'a syntax error of another realm',
    runInNewContext("new SyntaxError('body is not valid JSON')"),
    'SyntaxError',
  ],
  [
    'a data error of SQL',
    Object.assign(new Error('invalid input: "body"'), { code: '22P02' }),
    '22P02',
  ],
  [
    'an error without a message',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['a lone surrogate', new Error('a\ud800'), 'a\ufffd'],
])('describes %s', (_, error, cause) => {
  expect(causeOf({ ...failed, error })).toBe(cause)
})

it('reports no provider error that left the secrets unchanged', () => {
  const error = new Error('vault is down')
  expect(causeOf({ ...failed, reason: 'client_gone', error })).toBeNull()
  expect(causeOf({ ...failed, reason: 'signature_mismatch', error })).toBe('vault is down')
})

it('handles a text of any length in reasonable time', () => {
  const error = new Error('://'.repeat(1_000_000))
  expect(causeOf({ ...failed, error })?.length).toBeLessThanOrEqual(300)
})
