import type { RunResult } from '../../chaos/faults/run-faults.ts'
import type { CheckReport } from '../../../packages/cli/src/conformance/check/run-checks.ts'
import type { Figure } from '../figure.ts'
import type { Report } from './report.ts'

/** The texts that quote the published report. */
export const quotingFiles = ['README.md', 'docs/questions.md']

/**
 * Writes the sentences of a report into a text: each stands between `<!-- proof: name -->` and
 * `<!-- /proof -->`. One whose chapter the report lacks stays.
 */
export function quoteReport(text: string, report: Report): string {
  const quotes = quotesOf(report)
  return text.replaceAll(
    /(<!-- proof: ([a-z]+) -->)(.*?)(<!-- \/proof -->)/gs,
    (_, start: string, name: string, earlier: string, end: string) =>
      `${start}${quotes.get(name) ?? earlier}${end}`,
  )
}

function quotesOf({ chapters }: Report): Map<string, string> {
  const quotes = { faults: quoteFaults, conformance: quoteChecks, speed: quoteSpeed }
  return new Map(
    chapters.flatMap(({ name, data }) => {
      const quote = Object.entries(quotes).find(([of]) => of === name)?.[1]
      return quote && data ? [[name, quote(data as never)]] : []
    }),
  )
}

function quoteFaults({ counts, strikes }: RunResult): string {
  const [lost, twice] = [counts.lost.length, counts.duplicated.length]
  return `${strikes.length} faults struck while ${show(counts.acknowledged)} events were accepted. ${lost} were lost, and ${twice} were handled twice.`
}

function quoteChecks({ 'feed-receiver': ours }: Record<string, CheckReport>): string {
  return `${ours?.score.passed} of ${ours?.results.length}`
}

function quoteSpeed(figures: readonly Figure[]): string {
  const rateOf = (title: string, contender: string) => {
    const figure = figures.find(({ of }) => of?.title === title && of.contender === contender)
    return show(Number(figure?.median.toPrecision(3)))
  }
  const [accept, handle] = ['accept at 64', 'handle'].map((title) => ({
    ours: rateOf(title, 'feed-receiver'),
    pgBoss: rateOf(title, 'pg-boss'),
    bullmq: rateOf(title, 'bullmq'),
  }))
  return [
    `At 64 connections this kit accepted ${accept?.ours} events a second, an insert with a pg-boss job in one transaction ${accept?.pgBoss}, and BullMQ ${accept?.bullmq}.`,
    `Then this kit handled ${handle?.ours} events a second, pg-boss ${handle?.pgBoss}, and BullMQ ${handle?.bullmq}.`,
  ].join(' ')
}

function show(count: number): string {
  return count.toLocaleString('en')
}
