import { describe, expect, inject, it } from 'vitest'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { encryptionKey } from '../../test/encryption-key.ts'
import { SandboxError } from '../errors.ts'
import { createSandbox } from '../index.ts'
import { startSandbox } from '../../test/use-sandbox.ts'

describe('a sandbox in trouble', () => {
  it('answers 503 with an error object without its database', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    const { sandbox, get } = await startSandbox({ database: database.url, historyDays: 0 })
    await database.drop()
    await expect
      .poll(async () => await get('/v1/events'))
      .toMatchObject({ status: 503, body: { code: 'unavailable', error: expect.any(String) } })
    await sandbox.stop()
  })

  it('continues and stops although onError throws', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    let reported = 0
    const { sandbox } = await startSandbox({
      database: database.url,
      historyDays: 0,
      onError() {
        reported += 1
        throw new Error('The log is full.')
      },
    })
    await database.drop()
    // Three from each loop, which an error would have ended.
    await expect.poll(() => reported, { timeout: 20_000 }).toBeGreaterThan(6)
    await sandbox.stop()
  }, 40_000)

  it('reports a taken port', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    const { sandbox } = await startSandbox({ database: database.url, historyDays: 0 })
    const port = Number(new URL(sandbox.url).port)
    const second = createSandbox({ database: database.url, port, encryptionKey })
    await expect(second.start()).rejects.toMatchObject({ code: 'port_taken' })
    await sandbox.stop()
    await second.start()
    expect(second.url).toBe(`http://127.0.0.1:${port}`)
    await second.stop()
    await database.drop()
  })

  it('starts and stops once for repeated calls', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    const { sandbox, get, key } = await startSandbox({ database: database.url })
    await Promise.all([sandbox.start(), sandbox.start()])
    expect((await get('/v1/events')).status).toBe(200)
    await Promise.all([sandbox.stop(), sandbox.stop()])
    expect(() => sandbox.url).toThrow(SandboxError)
    await sandbox.start()
    expect((await get('/v1/events', { key })).status).toBe(200)
    await sandbox.stop()
    await database.drop()
  })

  it.each([
    { port: -1 },
    { port: 70_000 },
    { historyDays: 1.5 },
    { tickSeconds: 0 },
    { session: 'short' },
    { manifestPath: '/feed.json' },
  ])('rejects an invalid option: %o', (options) => {
    expect(() => createSandbox(options)).toThrow(
      expect.objectContaining({ name: 'SandboxError', code: 'bad_option' }),
    )
  })
})
