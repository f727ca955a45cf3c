import { describe, expect, it } from 'vitest'
import { createFailureLog, type FailureLog } from './failure-log.ts'

describe('the failure log of a process', () => {
  const failWith = async (failures: FailureLog, error: unknown) => {
    await expect(failures.watch('accept', Promise.reject(error))).rejects.toBe(error)
  }

  it('counts the error of a statement once, whatever the number of its deliveries', async () => {
    const failures = createFailureLog()
    const deadlock = new Error('deadlock detected')
    for (let delivery = 1; delivery <= 3; delivery += 1) await failWith(failures, deadlock)
    expect(failures.of('accept')).toMatchObject({ count: 1, error: deadlock })
    await failWith(failures, new Error('deadlock detected'))
    expect(failures.of('accept')).toMatchObject({ count: 2 })
    expect(failures.of('quarantine')).toBeUndefined()
    await failures.watch('accept', Promise.resolve())
    expect(failures.of('accept')).toBeUndefined()
  })

  it('counts no statement that failed because an earlier one had, also in the error of an ORM', async () => {
    const failures = createFailureLog()
    const cause = Object.assign(new Error('current transaction is aborted'), { code: '25P02' })
    await failWith(failures, cause)
    await failWith(failures, new Error('Failed query', { cause }))
    expect(failures.of('accept')).toBeUndefined()
  })
})
