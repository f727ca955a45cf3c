import { describe, expect, it } from 'vitest'
import { findProofs, tableOf } from './requirement-table.ts'

const requirements = { R1: 'An event is stored.', R2: 'A duplicate is not.' }
const proving = (...titles: string[]) =>
  titles.map((title) => `it('${title}', () => {})`).join('\n')

describe('the table of requirements', () => {
  it('has the titles that end with a number, and a link for each file', () => {
    const found = findProofs(
      [
        ['test/a.ts', proving('stores an event [R1]', 'answers', "isn\\'t fooled by %s [R1, R2]")],
        ['test/b.ts', proving('$outcome: $says [R2]', '405 for %s [R2]')],
      ],
      requirements,
    )
    expect(found.problems).toEqual([])
    expect(tableOf(requirements, found).split('\n').slice(2)).toEqual([
      "| R1 | An event is stored. | [a.ts](../test/a.ts): stores an event; isn't fooled by … |",
      "| R2 | A duplicate is not. | [a.ts](../test/a.ts): isn't fooled by …<br>[b.ts](../test/b.ts): 405 for … |",
    ])
  })

  it('begins each title with what the test describes', () => {
    const source = `describe('an event', () => {\n  describe('of a stranger', () => {})\n  ${proving('is stored [R1]')}`
    const { proofs } = findProofs([['test/a.ts', source]], requirements)
    expect(proofs.get('R1')).toEqual([{ file: 'test/a.ts', title: 'an event is stored' }])
  })

  it('reports an unknown number, a number elsewhere and a requirement without a test', () => {
    const source = proving('stores an event [R1]', 'stores [R14] events', 'answers [R3]')
    expect(findProofs([['test/a.ts', source]], requirements).problems).toEqual([
      'test/a.ts has a number such as [R14] that is not at the end of a title.',
      'test/a.ts names R3, which test/repo/requirements.ts lacks.',
      'No title of a test ends with [R2].',
    ])
  })
})
