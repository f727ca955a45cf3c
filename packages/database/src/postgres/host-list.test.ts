import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { openDatabase } from '../index.ts'
import { readHosts } from './host-list.ts'

test.each([
  [
    'postgres://me:p,w@a:1,b/db?sslmode=disable',
    ['a:1', 'postgres://me:p,w@a:1/db?sslmode=disable'],
    ['b:5432', 'postgres://me:p,w@b/db?sslmode=disable'],
  ],
  [
    'postgresql://[::1]:1,[::2]/db',
    ['[::1]:1', 'postgresql://[::1]:1/db'],
    ['[::2]:5432', 'postgresql://[::2]/db'],
  ],
  [
    'postgres://me:pw@/db?host=a,b&port=1,2',
    ['a:1', 'postgres://me:pw@a:1/db'],
    ['b:2', 'postgres://me:pw@b:2/db'],
  ],
  [
    'postgres:///db?host=/run/a,b&port=7',
    ['/run/a:7', 'postgres://%2Frun%2Fa:7/db'],
    ['b:7', 'postgres://b:7/db'],
  ],
])('reads the hosts of %s', (url, ...expected) => {
  const hosts = expected.map(([name, connectionString]) => ({ name, connectionString }))
  expect(readHosts(url)).toEqual({ hosts, attributes: 'primary' })
})

test('reads one host, which may be of any kind', () => {
  const connectionString = 'postgres://me:pw@a/db'
  const hosts = [{ name: 'a:5432', connectionString }]
  expect(readHosts(connectionString)).toEqual({ hosts, attributes: 'any' })
})

test.each(['any', 'read-write', 'primary'])('accepts target_session_attrs=%s', (attributes) => {
  const rest = `/db?target_session_attrs=${attributes}`
  expect(readHosts(`postgres://a${rest}`)).toMatchObject({ attributes })
  expect(readHosts(`postgres://a,b${rest}`)).toMatchObject({
    attributes,
    hosts: [{ name: 'a:5432' }, {}],
  })
})

test.each([
  ['a,b/db?target_session_attrs=standby', 'standby selects a read-only server'],
  ['a/db?target_session_attrs=prefer-standby', 'Use read-write, primary or any'],
  ['a,b/db?target_session_attrs=hunter2', 'its value is unknown'],
  ['a,,b/db', 'One of the hosts in the PostgreSQL URL is empty'],
])('rejects %s', (where, said) => {
  let thrown: unknown
  try {
    openDatabase(`postgres://me:hunter2@${where}`)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code: 'bad_target', message: expect.stringContaining(said) })
  expect(inspect(thrown)).not.toContain('hunter2')
})
