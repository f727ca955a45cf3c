import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { messageOf, sqlState, unless } from './errors.ts'

// In a test of Jest, the errors of Node are of another realm than the kit.
function foreign(values: object): Error {
  return Object.assign(runInNewContext('new Error("gone")') as Error, values)
}

it('finds the code of an error of another realm, as the embedded database needs in Jest', () => {
  const missing = foreign({ code: 'ENOENT' })
  expect(missing instanceof Error).toBe(false)
  const fail = () => {
    throw missing
  }
  expect(unless('ENOENT', fail, 'none')).toBe('none')
  expect(() => unless('EACCES', fail, 'none')).toThrow('gone')
})

it('reads the SQLSTATE and the message of an error of another realm', () => {
  const failed = foreign({ code: '23505', severity: 'ERROR' })
  expect(sqlState(failed)).toBe('23505')
  expect(messageOf(failed)).toBe('gone')
})
