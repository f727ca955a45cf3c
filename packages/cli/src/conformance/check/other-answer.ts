import type { Trap } from '../traps/find-trap.ts'
import { hasStatus } from './verdict.ts'
import type { Answer } from './send-request.ts'

/**
 * Advice on an answer to an authentic delivery that is not of the form of the kit, so that the
 * secret may not be the cause; undefined for any other answer.
 */
export function otherAnswer(answer: Answer): Trap | undefined {
  if (answer.status === null || answer.isOwn) return undefined
  if (hasStatus(answer, 404, 405)) return noRoute
  return hasStatus(answer, 401, 401) || hasStatus(answer, 403, 403) ? notLetIn : undefined
}

const noRoute: Trap = {
  name: 'no_route',
  who: 'a program that has no route for this URL',
  why: 'A receiver of this kit answers every request on its route with an error and a code.',
  fix: 'Compare the URL with the path where the receiver is mounted, and with the prefix that a proxy adds or removes. Mount the route before the server listens, for POST.',
  page: 'docs/conformance.md',
}

const notLetIn: Trap = {
  name: 'not_let_in',
  who: 'something other than a receiver of this kit',
  why: 'A receiver of this kit answers with an error and a code. A login page, a CSRF filter or a firewall may stand before it, and then the secret is not the cause.',
  fix: 'Let a POST to this URL through without a login, a token or a CSRF check, because its signature is its authentication. If the receiver is your own code, check that it has the complete secret, including feed_whsec_, and that its HMAC-SHA256 covers "<t>." and the body.',
  page: 'docs/conformance.md',
}
