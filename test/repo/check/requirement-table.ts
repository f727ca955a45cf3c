export interface Proof {
  file: string
  title: string
}

interface Found {
  /** The tests of each requirement, by its number. */
  proofs: Map<string, Proof[]>
  problems: string[]
}

const tagged = /(['"`])((?:(?!\1)[^\\\n]|\\.)*) \[(R\d+a?(?:, R\d+a?)*)\]\1,/g
const anyTag = /\[R\d/g
const placeholder = /%[.\d]*\w|\$\w+/g

/** Reads the numbers at the end of the titles in these files, given as [path, source]. */
export function findProofs(
  files: Iterable<readonly [string, string]>,
  requirements: Record<string, string>,
): Found {
  const proofs = new Map(Object.keys(requirements).map((number): [string, Proof[]] => [number, []]))
  const problems: string[] = []
  for (const [file, source] of files) {
    const titles = [...source.matchAll(tagged)]
    if (titles.length !== [...source.matchAll(anyTag)].length) {
      problems.push(`${file} has a number such as [R14] that is not at the end of a title.`)
    }
    for (const { 2: title = '', 3: numbers = '', index } of titles) {
      const whole = wholeTitle(title, source.slice(0, index))
      for (const number of numbers.split(', ')) {
        const known = proofs.get(number)
        if (known) known.push({ file, title: whole })
        else problems.push(`${file} names ${number}, which test/repo/requirements.ts lacks.`)
      }
    }
  }
  for (const [number, tests] of proofs) {
    if (tests.length === 0) problems.push(`No title of a test ends with [${number}].`)
  }
  return { proofs, problems }
}

/** A title after that of the `describe` around it; empty if the cases of the test are its title. */
function wholeTitle(title: string, before: string): string {
  if (!/\p{L}/u.test(title.replaceAll(placeholder, ''))) return ''
  const indent = /^ */.exec(before.slice(before.lastIndexOf('\n') + 1))?.[0].length ?? 0
  const outer = [...before.matchAll(/^( *)describe[^'\n]*\('((?:[^'\\\n]|\\.)*)'/gm)]
  const around = outer.findLast(([, spaces = '']) => spaces.length < indent)?.[2] ?? ''
  return `${around} ${title}`.trim().replaceAll(/\\(.)/g, '$1')
}

/** The rows of the table. Their links lead from `docs/` to the files. */
export function tableOf(requirements: Record<string, string>, { proofs }: Found): string {
  const rows = Object.entries(requirements).map(
    ([number, says]) =>
      `| ${number} | ${escaped(says)} | ${proofsOf(proofs.get(number) ?? []).join('<br>')} |`,
  )
  return ['| Number | Requirement | Tests |', '| --- | --- | --- |', ...rows].join('\n')
}

/** One link for each file, with the titles that a reader can read without it. */
function proofsOf(proofs: Proof[]): string[] {
  const files = [...new Set(proofs.map(({ file }) => file))].toSorted()
  return files.map((file) => {
    const titles = proofs.filter((proof) => proof.file === file).map(({ title }) => readable(title))
    const said = [...new Set(titles)].filter((title) => title !== '')
    const link = `[${escaped(file.split('/').at(-1) ?? file)}](../${file})`
    return said.length === 0 ? link : `${link}: ${said.map(escaped).join('; ')}`
  })
}

/** A title with values of a table, without their placeholders. */
function readable(title: string): string {
  return title.replaceAll(placeholder, '…').replace(/: …$/, '').trim()
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_|<[\]{}]/g, '\\$&')
}
