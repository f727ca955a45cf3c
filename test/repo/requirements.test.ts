import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { requirements } from './requirements.ts'

describe('every requirement in scope', () => {
  it.each(Object.entries(requirements))('%s is proved by tests that exist', (_, { provedBy }) => {
    expect(provedBy.length).toBeGreaterThan(0)
    for (const test of provedBy) {
      const [file = '', ...title] = test.split(': ')
      const url = new URL(`../../${file}`, import.meta.url)
      expect([file, existsSync(url)]).toEqual([file, true])
      expect(titlesIn(readFileSync(url, 'utf8'))).toContain(title.join(': '))
    }
  })

  it('has an id such as R14 or R76a', () => {
    for (const row of Object.keys(requirements)) expect(row).toMatch(/^R\d+a?$/)
  })
})

/** The titles of the tests in a file: each string that is followed by a function. */
function titlesIn(source: string): string[] {
  const titles = source.matchAll(/['"`]((?:[^'"`\\\n]|\\.)+)['"`],\s*(?:async )?\(/g)
  return [...titles].map(([, title = '']) => title.replaceAll("\\'", "'"))
}
