import { describe, expect, it } from 'vitest'
import { watchWork } from './watch-work.ts'

describe('the watched work of a process', () => {
  const failWith = async (work: ReturnType<typeof watchWork>, error: unknown) => {
    await expect(work.watch('accept', Promise.reject(error))).rejects.toBe(error)
  }

  it('counts the error of a statement once, whatever the number of its deliveries', async () => {
    const work = watchWork()
    const deadlock = new Error('deadlock detected')
    for (let delivery = 1; delivery <= 3; delivery += 1) await failWith(work, deadlock)
    expect(work.failing('accept')).toMatchObject({ count: 1, error: deadlock })
    await failWith(work, new Error('deadlock detected'))
    expect(work.failing('accept')).toMatchObject({ count: 2 })
    expect(work.failing('quarantine')).toBeUndefined()
    await work.watch('accept', Promise.resolve())
    expect(work.failing('accept')).toBeUndefined()
  })

  it('counts no statement that failed because an earlier one had, also in the error of an ORM', async () => {
    const work = watchWork()
    const cause = Object.assign(new Error('current transaction is aborted'), { code: '25P02' })
    await failWith(work, cause)
    await failWith(work, new Error('Failed query', { cause }))
    expect(work.failing('accept')).toBeUndefined()
  })
})
