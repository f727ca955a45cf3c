/** Returns the code that a marker names, or undefined if the file or region does not exist. */
export type ReadExample = (file: string, region: string | undefined) => string | undefined

// Longer ones come from examples, which tests run. Other code gets outdated.
const maxLinesByHand = 6

const block = /^(?:<!-- example: ([^\s#]+)(?:#(\S+))? -->\n+)?(```(\w*)\n)(.*?)^```$/gms
const markerWithoutBlock = /^<!-- example: .* -->$(?!\n+```)/gm

/**
 * Copies the code of examples into the blocks below a marker such as
 * `<!-- example: examples/express-app/app.ts#region -->`, and returns the differences.
 */
export function fillCodeBlocks(readme: string, readExample: ReadExample) {
  const problems = [...readme.matchAll(markerWithoutBlock)].map(
    ([marker]) => `${marker} has no code block below it.`,
  )

  const text = readme.replace(
    block,
    (whole, file: string | undefined, region, fence: string, language, code: string) => {
      if (file === undefined) {
        if (language === 'ts' && countLines(code) > maxLinesByHand) problems.push(tooLong(code))
        return whole
      }
      const marker = whole.slice(0, whole.indexOf('\n'))
      const example = readExample(file, region)
      if (example === undefined) {
        problems.push(`${marker} names a file or a region that does not exist.`)
        return whole
      }
      if (example !== code) problems.push(`The code below ${marker} differs from the example.`)
      return `${marker}\n\n${fence}${example}\`\`\``
    },
  )
  return { text, problems }
}

/** The lines between `// #region name` and `// #endregion`, or all of them; never those two. */
export function extractRegion(source: string, name?: string): string | undefined {
  if (name === undefined) return dedent(source)
  const start = `// #region ${name}\n`
  const [, rest] = source.split(start)
  const [region, end] = rest?.split('// #endregion') ?? []
  return end === undefined ? undefined : dedent(region ?? '')
}

function dedent(code: string): string {
  const lines = code.split('\n').filter((line) => !/^\s*\/\/ #(?:end)?region\b/.test(line))
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const indent = Math.min(...indents)
  const dedented = lines.map((line) => line.slice(indent)).join('\n')
  return `${dedented.trim()}\n`
}

function countLines(code: string): number {
  return code.split('\n').filter((line) => line !== '').length
}

function tooLong(code: string): string {
  return (
    `A block of ${countLines(code)} lines that begins with "${code.split('\n')[0]}" has no ` +
    'marker. Take it from an example: <!-- example: examples/<name>/<file>#<region> --> above it.'
  )
}
