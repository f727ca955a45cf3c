import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it } from 'vitest'
import { bodyVectors } from './vectors/read-vectors.ts'
import { makeEvent, padTo, secret, setup, type Mount } from './harness.ts'
import { type Open } from './session.ts'

export function bodiesCases(mount: Mount): void {
  describe('bodies', () => {
    contentCases((limits) => setup(mount, limits))

    it.each(bodyVectors(mount.vectors ?? 'everywhere'))(
      '$outcome: $says [R15, R68, R70, R71, R75, R76a, R171, R210]',
      async ({ body, outcome }) => {
        const { deliver, inbox } = await setup(mount)
        const answer = await deliver(body)
        expect(answer.status).toBe(202)
        if (outcome === 'stored') {
          const [stored] = inbox.entries.values()
          expect(Buffer.from(stored?.body ?? []).equals(body)).toBe(true)
          return
        }
        expect(answer.body).toContain(`"code":"${outcome}"`)
        expect(inbox.entries.size).toBe(0)
        expect(inbox.quarantined).toMatchObject([{ reason: outcome }])
        expect(Buffer.from(inbox.quarantined[0]?.delivery.body ?? []).equals(body)).toBe(true)
      },
    )
  })
}

/** Bodies of every kind, for every platform. */
export function contentCases(open: Open): void {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/vnd.feed+json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    undefined,
  ])('202 whatever the content type: %s [R160]', async (type) => {
    const { deliver, holds } = await open()
    const answer = await deliver(makeEvent(), { headers: { 'content-type': type } })
    expect(answer.status).toBe(202)
    expect((await holds()).stored).toBe(1)
  })

  it('401 without a body, because no signature matches', async () => {
    const { send } = await open()
    const { headers } = signDelivery(makeEvent(), { secret })
    expect((await send({ headers, body: Buffer.alloc(0) })).status).toBe(401)
  })

  it('202 for a body of exactly the maximum size', async () => {
    const { deliver, holds } = await open()
    expect((await deliver(padTo(1_048_576))).status).toBe(202)
    expect((await holds()).stored).toBe(1)
  })
}
