import type { Refused } from '../reasons.ts'
import json from './mends.json' with { type: 'json' }

/** How to fix each kind of rejection, as a short text. */
// A copy, so that no type declaration imports JSON, which a user's TypeScript may reject.
export const mends: Readonly<Record<Refused, string>> = { ...json }
