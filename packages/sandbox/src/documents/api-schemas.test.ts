import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { openApiDocument } from './openapi.ts'

/** As the interface has them: `!` is required, `?` may be null (2.1 to 2.6, 4.1 to 4.3). */
const members: [object: string, members: string][] = [
  [
    'Event',
    'id! providerSlug! eventType! category subjectType? subjectKey? title! summary? sourceUrl! ' +
      'canonicalUrl? evidenceState! confirmationState! firstObservedAt! sourcePublishedAt? ' +
      'sourceUpdatedAt? sourcePublishedPrecision? sourceUpdatedPrecision? detectedVia? ' +
      'correctedAt? retractedAt? benchmark incident',
  ],
  [
    'Incident',
    'id! sourceIncidentId rootEventId! phase! sequence! receiptCount! status! startedAt!? ' +
      'updatedAt!? resolvedAt!? root! timeline timelineTruncated',
  ],
  [
    'TimelineItem',
    'id! eventType! phase! sequence! title! summary!? sourceUrl! firstObservedAt! ' +
      'sourcePublishedAt? status',
  ],
  ['Usage', 'requests! limit! period! resetsAt!'],
  [
    'AccountEvent',
    'eventRef! type! subject! occurredAt! title! summary!? integrityState! ' +
      'correctionOfEventRef!? immediateEligible! digestEligible! data!',
  ],
  ['Error', 'error! code!'],
  ['EventPage', 'data! nextCursor!? hasMore! usage!'],
  ['AccountEventPage', 'contractVersion! data! nextCursor!? hasMore! usage!'],
  ['AccountEventAnswer', 'contractVersion! event! usage!'],
]

it.each(members)('says which members of %s are required and may be null [R50]', (name, all) => {
  const document = openApiDocument('http://127.0.0.1:4010')
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const { required = [], properties = {} } = document.components.schemas[name] ?? {}
  const described = Object.keys(properties).map((member) => {
    const schema = ajv.getSchema(`openapi#/components/schemas/${name}/properties/${member}`)
    return `${member}${required.includes(member) ? '!' : ''}${schema?.(null) ? '?' : ''}`
  })
  expect(described.toSorted()).toEqual(all.split(' ').toSorted())
})
