import { Refusal } from './refusals.ts'

/** What an action is answered that names what is not there, and where to find what is. */
export function missing(what: keyof typeof problems): Refusal {
  return new Refusal('not_found', { detail: problems[what] })
}

const problems = {
  account:
    'There is no account of this id. Take one from the list of accounts, or create it first.',
  key: 'There is no API key of this id that works. Take one that is not revoked from the list of keys.',
  event: 'There is no event of this id. Take one from the list of events.',
  account_event:
    'There is no private event of this reference. Take one from /v1/account-events or from an export.',
  destination:
    'There is no destination of this id, or it was deleted. Take one from the list of destinations.',
  delivery:
    'There is no delivery of this id, or it was forgotten. Take one from the list of deliveries.',
  fault:
    'There is no fault rule of this id, or it is used up. Take one from the list of fault rules.',
}
