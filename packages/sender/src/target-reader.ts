import type { TargetRules } from './check-address.ts'
import { checkTarget } from './check-target.ts'

/** Where to send, in the parts that a request is made of. */
export interface Target {
  origin: string
  path: string
}

/**
 * Makes a function that checks where a delivery is to go. Most deliveries of a sender go to the same
 * place, so the last one is remembered.
 */
export function createTargetReader(rules: TargetRules): (to: string | URL) => Target {
  let last: { to: string; target: Target } | undefined
  return (to) => {
    if (last?.to === to) return last.target
    const { origin, pathname, search } = checkTarget(to, rules)
    const target = { origin, path: pathname + search }
    if (typeof to === 'string') last = { to, target }
    return target
  }
}
