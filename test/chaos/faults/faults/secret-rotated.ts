import { fingerprintOf } from '@feed-receiver/core'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { withTraffic } from './with-traffic.ts'

export const secretRotated: Fault = {
  name: 'secret-rotated',
  describe: 'the signing secret rotates: receivers accept both for a while, then only the new one',
  kind: 'other',
  holds: ['receivers', 'sender'],
  async inject(world, { random }) {
    const { receivers, sender, secrets } = world
    const next = `feed_whsec_faults_${random.below(2 ** 32)}_0123456789abcdef`
    const accept = async (accepted: string[]) => {
      secrets.accepted = accepted
      await Promise.all(receivers.map((receiver) => receiver.send({ secrets: accepted })))
    }
    await accept([secrets.signing, next])
    // A receiver reads its secrets at most once a second, and may just have done so.
    await delay(1_100)
    const marks = receivers.map((receiver) => receiver.mark())
    secrets.signing = next
    // Resolves once nothing that the old secret signed is in flight.
    await sender.send({ secret: next })
    const line = new RegExp(`^signed by ${fingerprintOf(next)}$`)
    await withTraffic(world, () =>
      Promise.any(receivers.map((receiver, index) => receiver.logged(line, marks[index] ?? 0))),
    )
    await accept([next])
    return `${fingerprintOf(next)} was used to sign, and the old secret was removed`
  },
}
