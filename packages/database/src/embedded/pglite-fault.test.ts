import { expect, it } from 'vitest'
import { pgliteFault } from './pglite-fault.ts'

const invalidUrl = Object.assign(new TypeError('Invalid URL'), {
  code: 'ERR_INVALID_URL',
  input: './pglite.wasm',
})
const noFile = Object.assign(
  new Error("ENOENT: no such file or directory, open '/srv/app/dist/pglite.data'"),
  { code: 'ENOENT' },
)
const noDynamicImport = Object.assign(new TypeError('A dynamic import callback was invoked'), {
  code: 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG',
})

it.each<[string, unknown, RegExp]>([
  ['a bundler that left out a file', noFile, /cannot load pglite\.data .*--external:@electric-sql/],
  ['a bundler for CommonJS', invalidUrl, /cannot load pglite\.wasm of PGlite/],
  ['a test runner', noDynamicImport, /transform the \.cjs files/],
])('PGlite that cannot load its files blames %s', (_, cause, message) => {
  expect(pgliteFault(cause)).toMatchObject({
    code: 'pglite_missing',
    message: expect.stringMatching(message),
    cause,
  })
})

it.each([
  ['a folder without rights', 'EACCES', "permission denied, mkdir '/srv/data'"],
  ['a folder with the name of a file', 'EACCES', "permission denied, mkdir '/srv/pglite.data'"],
  ['another missing file', 'ENOENT', "no such file or directory, open '/srv/data/PG_VERSION'"],
])('PGlite blames no bundler for %s', (_, code, message) => {
  expect(pgliteFault(Object.assign(new Error(message), { code }))).toBeUndefined()
})
