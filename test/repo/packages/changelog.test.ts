import { describe, expect, it } from 'vitest'
import { addRelease } from '../run/changelog.mjs'

const one = `---
'@feed-receiver/inbox': minor
feed-receiver: patch
---

Pauses of one type
hold in every process.
`
const entry =
  '- `@feed-receiver/inbox`, `feed-receiver`: Pauses of one type hold in every process.\n'

describe('the changelog', () => {
  it('gets a release above the earlier ones', () => {
    const before = '# Changelog\n\n## 0.1.0\n\n- Old.\n'
    expect(addRelease(before, '0.2.0', [one])).toBe(
      `# Changelog\n\n## 0.2.0\n\n${entry}\n## 0.1.0\n\n- Old.\n`,
    )
  })

  it('includes earlier unreleased lines in the release', () => {
    const before = '# Changelog\n\n## Unreleased\n\n- Written by hand.\n'
    expect(addRelease(before, '0.2.0', [one])).toBe(
      `# Changelog\n\n## 0.2.0\n\n${entry}\n- Written by hand.\n`,
    )
  })

  it('has no line for a changeset without a release', () => {
    expect(addRelease('# Changelog\n', '0.2.0', ['---\n---\n\nTests alone.\n', one])).toBe(
      `# Changelog\n\n## 0.2.0\n\n${entry}`,
    )
  })
})
