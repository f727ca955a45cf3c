import { expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { findLocaleKeys } from '../../../../test/support/locale-keys.ts'
import { migrations } from './index.ts'

const database = useDatabase('postgres')

it('the tables of the sandbox compare all keys by bytes', async () => {
  await database().migrate(migrations, { schema: 'sandbox' })
  expect(await findLocaleKeys(database(), 'sandbox')).toEqual([])
})
