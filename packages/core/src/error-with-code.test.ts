import { expect, expectTypeOf, it } from 'vitest'
import { codeOf, errorWithCode, optionCheck } from './error-with-code.ts'

class TestError extends errorWithCode<'bad_option' | 'too_late'>('tests') {
  override name = 'TestError'
}

it('links the code of an error, and keeps its cause', () => {
  const cause = new Error('why')
  const error = new TestError('too_late', 'The test is over.', { cause })
  expectTypeOf(error.code).toEqualTypeOf<'bad_option' | 'too_late'>()
  expect(error).toMatchObject({ code: 'too_late', name: 'TestError', cause })
  expect(error.message).toBe(
    'The test is over. More: https://feed-receiver.github.io/feed-receiver/reference/errors#tests-too_late',
  )
  // @ts-expect-error -- not in the set of codes
  expect(new TestError('too_soon', '').code).toBe('too_soon')
})

it('throws bad_option for an invalid option only', () => {
  const checkOption = optionCheck(TestError)
  checkOption(true, 'limit: use a number.')
  expect(() => checkOption(false, 'limit: use a number.')).toThrow(
    expect.objectContaining({
      code: 'bad_option',
      message: expect.stringMatching(/^limit: use a number\. More: /),
    }),
  )
})

it.each([
  [new TestError('too_late', ''), 'too_late'],
  [Object.assign(new Error(''), { code: 7 }), '7'],
  [new Error(''), undefined],
  [{ code: 'of no error' }, undefined],
  [null, undefined],
])('reads the code of %j', (value, code) => {
  expect(codeOf(value)).toBe(code)
})
