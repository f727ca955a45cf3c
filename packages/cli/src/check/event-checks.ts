import type { CheckGroup } from './check.ts'
import { accepted, notPausing } from './verdict.ts'

/** Events that are new to the receiver, which the interface announces (R68, R210, R240). */
export const eventChecks: CheckGroup = {
  title: 'Events to come',
  pace: 'together',
  checks: [
    {
      name: 'unknown_type',
      title: 'Accepts an event of a type that nobody knows',
      why:
        'The set of types is open: a new one would be refused, or pause the feed, on its first ' +
        'day.',
      fix: 'Keep events of unknown types and answer 2xx; let no handler be called for them.',
      async run({ deliver, makeEvent }) {
        return accepted(await deliver({ ...makeEvent(), type: 'check_of_an_unknown_type' }))
      },
    },
    {
      name: 'unknown_members',
      title: 'Accepts an event with members that nobody knows',
      why: 'Members are added without a new version.',
      fix: 'Validate the members that you need, and let the others be.',
      async run({ deliver, makeEvent }) {
        const event = makeEvent()
        const data = { ...event.data, severity: 3, tags: ['a', { b: null }] }
        return accepted(await deliver({ ...event, data, trace: { id: 'abc' } }))
      },
    },
    {
      name: 'unknown_values',
      title: 'Accepts an unknown category and an unknown evidence',
      why: 'Both sets of values are open.',
      fix: 'Take any string for data.category and data.evidence.',
      async run({ deliver, makeEvent }) {
        const data = { category: 'datasets', evidence: 'repository_commit' }
        return accepted(await deliver(makeEvent({ data })))
      },
    },
    {
      name: 'null_members',
      title: 'Accepts null wherever the interface allows it',
      why: 'Most events have no summary, no time of publication or no subject.',
      fix:
        'Allow null for data.summary, data.source_published_at, data.subject.type and ' +
        'data.subject.key.',
      async run({ deliver, makeEvent }) {
        const subject = { type: null, key: null }
        const data = { subject, summary: null, source_published_at: null }
        return accepted(await deliver(makeEvent({ data })))
      },
    },
    {
      name: 'schema_version',
      title: 'Does not pause the feed over schema_version 2.0',
      why: 'One delivery of a later version would stop all those that you can read.',
      fix: 'Keep it aside and answer 202.',
      async run({ deliver, makeEvent }) {
        return notPausing(await deliver({ ...makeEvent(), schema_version: '2.0' }))
      },
    },
  ],
}
