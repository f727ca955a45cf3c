import { describe, expect, it } from 'vitest'
import { anchorsOf, findLinks } from './markdown-links.ts'

describe('links of a Markdown text', () => {
  it('are found, except external ones and those in code', () => {
    const text = [
      'See [one](a.md#b), ![a picture](c.png) and [three](#d).',
      'Not [this](https://example.org), and not `[that](e.md)`.',
      '```md',
      '[Nor this](f.md)',
      '```',
    ].join('\n')
    expect(findLinks(text)).toEqual(['a.md#b', 'c.png', '#d'])
  })

  it('use anchors from the text of headings', () => {
    const text = '# @feed/core\n\n## With `node:test`\n\n```sh\n# no heading\n```\n### A_b, c-d!\n'
    expect([...anchorsOf(text)]).toEqual(['feedcore', 'with-nodetest', 'a_b-c-d'])
  })
})
