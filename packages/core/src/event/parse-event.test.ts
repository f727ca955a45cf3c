import { describe, expect, it } from 'vitest'
import { bodyVectors } from '../../../../test/contract/vectors/read-vectors.ts'
import * as node from './decode.node.ts'
import * as web from './decode.web.ts'

describe.each([
  { runtime: 'Node', ...node },
  { runtime: 'the web', ...web },
])('parseEvent on $runtime', ({ parseEvent }) => {
  it.each(bodyVectors())('$outcome: $says [R240]', ({ body, outcome }) => {
    const parsed = parseEvent(body)
    expect('problem' in parsed ? parsed.problem : 'stored').toBe(outcome)
  })

  it.each(bodyVectors())(
    'marks bodies that JSON.stringify would change: $says',
    ({ body, rewritten, outcome }) => {
      if (outcome !== 'stored' || body.includes('"deep"')) return
      const again = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
      expect(again.equals(body)).toBe(!rewritten)
    },
  )
})
