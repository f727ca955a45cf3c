import { expect, it } from 'vitest'
import { pgliteFault } from './pglite-fault.ts'

const folder = '/srv/app/.feed-receiver/database'
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

it.each<[string, unknown, string, RegExp]>([
  [
    'a bundler that left out a file beside it',
    noFile,
    'pglite_missing',
    /cannot load pglite\.data of PGlite.*--external:@electric-sql\/pglite/,
  ],
  ['a bundler for CommonJS', invalidUrl, 'pglite_missing', /cannot load pglite\.wasm of PGlite/],
  ['a test runner', noDynamicImport, 'pglite_missing', /transform the \.cjs files/],
  [
    'a folder without rights',
    new Error(`EACCES: permission denied, mkdir '${folder}/data'`),
    'bad_folder',
    /could not be created in .* \(EACCES: .*\)\. Check that this process may write there/,
  ],
  [
    'a folder with such a name',
    Object.assign(new Error("EACCES: open '/srv/pglite.data/x'"), { code: 'EACCES' }),
    'bad_folder',
    /could not be created/,
  ],
  ['anything', 'a string', 'bad_folder', /\(a string\)/],
])('an embedded database that cannot start blames %s', (_, cause, code, message) => {
  expect(pgliteFault(cause, 'not_created', { folder, mebibytes: 64 })).toMatchObject({
    code,
    message: expect.stringMatching(message),
    cause,
  })
})
