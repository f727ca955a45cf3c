import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from '../../support/built-program.ts'
import { parts } from './parts/index.ts'
import { quoteReport, quotingFiles } from './quote-report.ts'
import { formatReport, parseReport, type Chapter, type Report } from './report.ts'

const chapter: Chapter = {
  name: 'disk',
  title: 'A full disk',
  intro: 'The disk is full.',
  body: 'Nothing was lost.',
  problems: [],
  data: null,
  minutes: 9.2,
  commands: [{ name: 'disk-postgres', text: 'node faults.js', exitCode: 0, seconds: 61.4 }],
}
const report: Report = {
  seed: 7,
  isQuick: true,
  startedAt: '2026-11-24T05:00:00.000Z',
  machine: { Node: '20.20.2' },
  chapters: [chapter],
}

it('contains the command to repeat the run, the results, and the paths of the logs', () => {
  const text = formatReport(report, 'proof')
  expect(text).toContain('on 2026-11-24, in 10 minutes')
  expect(text).toContain('`npm run prove -- --seed 7 --quick`')
  expect(text).toContain('| [A full disk](#a-full-disk) | holds |')
  expect(text).toContain('[disk-postgres](proof/logs/disk-postgres.txt), 61 s, exit code 0')
})

it('says which chapter was run separately', () => {
  const added = { at: '2026-11-25T09:00:00.000Z', revision: '1234abcd' }
  const text = formatReport({ ...report, chapters: [{ ...chapter, added }] }, '.')
  expect(text).toContain('Run separately on 2026-11-25, of revision 1234abcd.')
})

it('lists the guarantees that this kit does not meet', () => {
  const failed = { ...chapter, problems: ['Lost: 2 events (3, 4).', 'Duplicated: <1>.'] }
  const text = formatReport({ ...report, isQuick: false, chapters: [failed] }, '.')
  expect(text).toContain('Lost: 2 events (3, 4).<br>Duplicated: &lt;1>.')
  expect(text).toContain('`npm run prove -- --seed 7`')
})

it('reads the published report, whose chapters are those of today', () => {
  const { chapters, ...published } = readPublished()
  expect(chapters.map(({ name }) => name)).toEqual(parts.map(({ name }) => name))
  expect(formatReport({ ...published, chapters }, 'proof')).toContain('| this kit ')
})

it.each(quotingFiles)('is quoted by %s with the figures of the published report', (name) => {
  const text = readFileSync(join(repository, name), 'utf8')
  expect(text).toMatch(/<!-- proof: [a-z]+ -->[^<]*\d[^<]*<!-- \/proof -->/)
  expect(quoteReport(text, readPublished())).toBe(text)
})

it('leaves a quotation alone if its chapter is missing', () => {
  const text = 'a <!-- proof: faults -->9 faults<!-- /proof --> b'
  expect(quoteReport(text, report)).toBe(text)
  const counts = { acknowledged: 2000, lost: [], duplicated: ['evt_1'] }
  const faults = { ...chapter, name: 'faults', data: { counts, strikes: [{}, {}, {}] } }
  expect(quoteReport(text, { ...report, chapters: [chapter, faults] })).toBe(
    'a <!-- proof: faults -->3 faults struck while 2,000 events were accepted. 0 were lost, and 1 were handled twice.<!-- /proof --> b',
  )
})

function readPublished(): Report {
  return parseReport(readFileSync(join(repository, 'docs/proof/report.json'), 'utf8'))
}
