import type { Refused } from '../reasons.ts'
import json from './mends.json' with { type: 'json' }

/** What you do about each kind of rejection, as a short text. */
// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
export const mends: Readonly<Record<Refused, string>> = { ...json }
