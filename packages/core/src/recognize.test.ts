import { readFile } from 'node:fs/promises'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { isError, recognizeCopies } from './recognize.ts'

describe('isError', () => {
  it.each([
    ['of this realm', new TypeError('x')],
    ['of another realm', runInNewContext('new TypeError("x")') as unknown],
    ['of a class of another realm', runInNewContext('new (class Own extends Error {})') as unknown],
    ['of the platform', AbortSignal.abort().reason as unknown],
  ])('recognizes an error %s', (_, error) => {
    expect(isError(error)).toBe(true)
  })

  it('works in another realm on the errors of this one', async () => {
    const error = await readFile('/none/here').catch((reason: unknown) => reason)
    const aborted: unknown = AbortSignal.abort().reason
    const constants = "const errorTags = new Set(['[object Error]', '[object DOMException]']);"
    const script = `${constants} [error, aborted].map((value) => [value instanceof Error, (${String(isError)})(value)])`
    const found: unknown = runInNewContext(script, { error, aborted })
    expect(JSON.parse(JSON.stringify(found))).toEqual([
      [false, true],
      [false, true],
    ])
  })

  it.each([undefined, null, 'Error', { message: 'x', name: 'Error' }, () => {}])(
    'recognizes no error in %j',
    (value) => {
      expect(isError(value)).toBe(false)
    },
  )
})

describe('recognizeCopies', () => {
  const makeCopy = (name = 'OfThisTest') =>
    class extends Error {
      static {
        recognizeCopies(this, name)
      }
    }

  it('recognizes the instances of a copy, and of no other class', () => {
    const [Ours, Copy, Other] = [makeCopy(), makeCopy(), makeCopy('Another')]
    expect(new Ours()).toBeInstanceOf(Ours)
    expect(new Copy()).toBeInstanceOf(Ours)
    for (const value of [new Other(), new Error('x'), {}, null, undefined, 'x']) {
      expect(value instanceof Ours).toBe(false)
    }
  })

  it('leaves subclasses alone', () => {
    const Ours = makeCopy()
    const Sub = class extends Ours {}
    expect(new Sub()).toBeInstanceOf(Ours)
    expect(new Sub()).toBeInstanceOf(Sub)
    expect(new Ours() instanceof Sub).toBe(false)
  })
})
