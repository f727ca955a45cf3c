import { adviceOn } from './advice.ts'
import type { CheckReport } from './run-checks.ts'
import { describeStrength } from './strength.ts'
import type { CheckResult } from './verdict.ts'

const site = 'https://feed-receiver.github.io/feed-receiver/'

/** The report as SARIF 2.1.0, for code scanning. */
export function renderSarif(report: CheckReport): string {
  return `${JSON.stringify(toSarif(report), null, 2)}\n`
}

/**
 * The log of SARIF: every check is a rule, and every check that failed or warned is a result. A
 * test compares its type with the published types of the format.
 */
export function toSarif(report: CheckReport) {
  const { startedAt, durationMs, results } = report
  const endedAt = Date.parse(startedAt) + durationMs
  const { artifactLocation, originalUriBaseIds } = locate(report.url)
  const run = {
    tool: {
      driver: {
        name: 'feed-receiver check',
        informationUri: `${site}conformance`,
        rules: results.map(toRule),
      },
    },
    originalUriBaseIds,
    invocations: [
      {
        executionSuccessful: results.every(({ blockedBy }) => blockedBy !== 'deadline'),
        startTimeUtc: startedAt,
        endTimeUtc: new Date(endedAt).toISOString(),
        toolExecutionNotifications: results.flatMap(toNotification),
      },
    ],
    results: results.flatMap((result, ruleIndex) => toResult(result, ruleIndex, artifactLocation)),
    properties: {
      score: report.score,
      strength: { ...report.strength, description: describeStrength(report.strength).join(' ') },
    },
  }
  const version = '2.1.0' as const
  return { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version, runs: [run] }
}

/**
 * GitHub rejects results in anything but files, so the path of the receiver stands for a file. The
 * base says whose path it is.
 */
function locate(address: string) {
  const { origin, pathname } = new URL(address)
  // A colon in the first part of a relative URI would begin a scheme, and an empty one is rejected.
  const path = pathname.replace(/^\/+/, '').replaceAll(':', '%3A') || '(root)'
  return {
    artifactLocation: { uri: path, uriBaseId: 'RECEIVER' },
    originalUriBaseIds: {
      RECEIVER: { uri: `${origin}/`, description: { text: 'The receiver that was checked.' } },
    },
  }
}

function toRule({ name, group, title, why, fix }: CheckResult) {
  return {
    id: name,
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: {
      text: `${why}\n\nFix: ${fix}`,
      markdown: `${escapeMarkdown(why)}\n\n**Fix:** ${escapeMarkdown(fix)}`,
    },
    helpUri: `${site}conformance`,
    defaultConfiguration: { level: 'error' as const },
    properties: { tags: [group] },
  }
}

function toResult(
  result: CheckResult,
  ruleIndex: number,
  artifactLocation: { uri: string; uriBaseId: string },
) {
  const { name, title, outcome, seen } = result
  if (outcome !== 'failed' && outcome !== 'warning') return []
  // The rule has the reason. The fix may be that of a trap, which only this result knows.
  const advice = adviceOn(result).filter(([label]) => label !== 'why')
  const lines = [`${title}. Seen: ${seen}.`, ...advice.map(([label, text]) => `${label}: ${text}`)]
  return [
    {
      ruleId: name,
      ruleIndex,
      level: outcome === 'failed' ? ('error' as const) : ('warning' as const),
      message: { text: lines.join('\n') },
      locations: [{ physicalLocation: { artifactLocation, region: { startLine: 1 } } }],
      // One alert for each check and receiver, whatever is seen.
      partialFingerprints: { primaryLocationLineHash: `${name}:1` },
    },
  ]
}

function toNotification({ name, outcome, seen, blockedBy }: CheckResult) {
  if (outcome !== 'not_run') return []
  const level = blockedBy === 'deadline' ? ('error' as const) : ('note' as const)
  return [{ level, message: { text: `Not run: ${seen}` }, associatedRule: { id: name } }]
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]]/g, String.raw`\$&`)
}
