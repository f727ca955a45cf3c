import { describe, expect, it } from 'vitest'
import { extractRegion, fillCodeBlocks } from './code-blocks.ts'

const fence = '```'
const marker = '<!-- example: app.ts#mount -->'
const block = (code: string) => `${fence}ts\n${code}\n${fence}`
const show = (name: string) => (file: string, region?: string) =>
  file === 'app.ts' && region === 'mount' ? `${name}\n` : undefined

describe('a code block', () => {
  it('with a marker must equal its example', () => {
    const readme = `Text.\n\n${marker}\n\n${block('mount()')}\n\nMore.\n`
    expect(fillCodeBlocks(readme, show('mount()'))).toEqual({ text: readme, problems: [] })
    expect(fillCodeBlocks(readme, show('mount($1)'))).toEqual({
      text: readme.replace('mount()', () => 'mount($1)'),
      problems: [`The code below ${marker} differs from the example.`],
    })
  })

  it('is found directly below its marker, and each by its own', () => {
    const [old, byHand] = [block('old'), block('by hand')]
    const readme = `${marker}\n${old}\n\n${byHand}\n\n${marker}\n\n${old}\n`
    const { text, problems } = fillCodeBlocks(readme, show('new'))
    expect(text.match(/old|new|by hand/g)).toEqual(['new', 'by hand', 'new'])
    expect(problems).toHaveLength(2)
    expect(fillCodeBlocks(text, show('new')).problems).toEqual([])
  })

  it.each([
    ['a file', '<!-- example: gone.ts#mount -->'],
    ['a region', '<!-- example: app.ts#gone -->'],
    ['a region for the whole file', '<!-- example: app.ts -->'],
  ])('cannot be taken from %s that does not exist', (_, gone) => {
    const readme = `${gone}\n\n${block('mount()')}\n`
    expect(fillCodeBlocks(readme, show('mount()'))).toEqual({
      text: readme,
      problems: [`${gone} names a file or a region that does not exist.`],
    })
  })

  it('must follow its marker', () => {
    const readme = `${marker}\n\nText.\n\n${block('mount()')}\n`
    const { problems } = fillCodeBlocks(readme, show('mount()'))
    expect(problems).toEqual([`${marker} has no code block below it.`])
  })

  it('may be handwritten up to six lines, or longer in another language', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, () => 'go()\n')
        .join('\n')
        .trim()
    expect(fillCodeBlocks(block(lines(6)), show('')).problems).toEqual([])
    expect(fillCodeBlocks(`${fence}sh\n${lines(9)}\n${fence}`, show('')).problems).toEqual([])
    expect(fillCodeBlocks(block(lines(7)), show('')).problems).toEqual([
      expect.stringContaining('A block of 7 lines that begins with "go()" has no marker.'),
    ])
  })
})

describe('a region', () => {
  const source = `import a
// #region first
one()
// #endregion

function b() {
  // #region second
  if (two) {

    three()
  }
  // #endregion
}
// #region open
four()
`

  it('is the code between its two lines, dedented', () => {
    expect(extractRegion(source, 'first')).toBe('one()\n')
    expect(extractRegion(source, 'second')).toBe('if (two) {\n\n  three()\n}\n')
  })

  it('is the whole file without a name, except for region markers', () => {
    expect(extractRegion(source)?.split('\n').slice(0, 4)).toEqual([
      'import a',
      'one()',
      '',
      'function b() {',
    ])
  })

  it('is undefined without a beginning or an end', () => {
    expect(extractRegion(source, 'third')).toBeUndefined()
    expect(extractRegion(source, 'open')).toBeUndefined()
  })
})
