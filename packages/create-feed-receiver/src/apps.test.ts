import { describe } from 'vitest'
import { frameworks } from './context.ts'

describe.each(frameworks)('an app for %s', async (framework) => {
  await import(`../templates/${framework}/test/app.test.ts`)
})
