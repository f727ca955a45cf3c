import type { QuarantinedRow } from '@feed-receiver/inbox'

type QuarantineReason = QuarantinedRow['reason']

interface ReasonInWords {
  title: string
  /** Why no handler may see it. */
  says: string
  /** What releasing it does; null where that cannot be. */
  release: string | null
}

const again =
  'It is read again with this version. If it can be read by now, its event is stored and handled; ' +
  'if not, nothing changes.'

/** Why deliveries are set aside, in words. All of them were signed with one of your secrets. */
export const reasons: Record<QuarantineReason, ReasonInWords> = {
  not_json: {
    title: 'Not JSON',
    says: 'The body was signed, but it is not JSON, so nobody can say what it means.',
    release: again,
  },
  not_an_event: {
    title: 'Not an event',
    says: 'The body is JSON, but a part that every event has is missing or of another form.',
    release: again,
  },
  unknown_schema_version: {
    title: 'A newer format',
    says: 'The body says a version of the format that this version of the kit does not know.',
    release: again,
  },
  id_mismatch: {
    title: 'Two ids',
    says:
      'A header names another event than the body. Only the body was signed, so something between ' +
      'the service and here may have mixed up two deliveries.',
    release:
      'The event is stored and handled under the id in its body, the only one that was signed.',
  },
  id_conflict: {
    title: 'Same id, other content',
    says:
      'An event with this id is stored already, with other bytes. Both were signed, and which of ' +
      'them is true is for you to judge: compare them, act by hand if need be, and discard this one.',
    release: null,
  },
}
