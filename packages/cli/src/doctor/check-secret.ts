import { fingerprintOf } from '@feed-receiver/core'
import { createSender, SenderError } from '@feed-receiver/sender'
import { failed, ok, type Finding } from './finding.ts'

/** Looks at the shape of the signing secret, without ever showing it. */
export function checkSecret(secret: string): Finding {
  try {
    createSender({ secret })
  } catch (error) {
    if (!(error instanceof SenderError)) throw error
    return failed('secret', error.problem, 'Set it anew, from where the service showed it.')
  }
  const says = `It has the shape of a signing secret (fingerprint ${fingerprintOf(secret)}).`
  return ok('secret', says)
}
