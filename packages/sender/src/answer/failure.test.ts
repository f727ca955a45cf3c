import { expect, test } from 'vitest'
import { describeFailure } from './failure.ts'

test.each([
  ['deadline', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['blocked_address', 'blocked_address'],
  ['ECONNREFUSED', 'connect'],
  ['EHOSTUNREACH', 'connect'],
  ['EPROTO', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['ECONNRESET', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['HPE_INVALID_CONSTANT', 'invalid_answer'],
  ['UND_ERR_HEADERS_OVERFLOW', 'invalid_answer'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'invalid_answer'],
  ['ESOMETHING', 'network'],
])('%s is a failure of kind %s', (code, cause) => {
  const failure = describeFailure(Object.assign(new Error('it broke'), { code }))
  expect(failure).toEqual({ cause, code, message: 'it broke' })
})

test('uses the name of an error without a code', () => {
  const error = Object.assign(new Error('Invalid status code'), { name: 'HTTPParserError' })
  expect(describeFailure(error)).toMatchObject({ cause: 'invalid_answer', code: 'HTTPParserError' })
  expect(describeFailure(new TypeError('oh'))).toMatchObject({
    cause: 'network',
    code: 'TypeError',
  })
})

test('joins the messages of an error about several addresses', () => {
  const refused = ['::1:9', '127.0.0.1:9'].map((at) => new Error(`connect ECONNREFUSED ${at}`))
  const error = Object.assign(new AggregateError(refused), { code: 'ECONNREFUSED' })
  expect(describeFailure(error)).toEqual({
    cause: 'connect',
    code: 'ECONNREFUSED',
    message: 'connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9',
  })
})

test.each([['text'], [undefined], [null], [{ code: 5 }]])('describes %j too', (thrown) => {
  expect(describeFailure(thrown)).toMatchObject({ cause: 'network', code: 'unknown' })
})
