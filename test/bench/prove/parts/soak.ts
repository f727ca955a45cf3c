import { existsSync, readFileSync } from 'node:fs'
import { table } from '../../../../docs/.vitepress/reference/markdown.ts'
import type { SoakResult } from '../../../chaos/soak/run-soak.ts'
import { formatGrowth, publishedSoakFile, soakFile } from '../../../chaos/soak/soak-report.ts'
import type { Part } from '../part.ts'

export const soakPart: Part = {
  name: 'soak',
  title: 'Hours of steady traffic',
  intro:
    'One receiver and one worker run throughout, beside others that are deployed anew, while content is pruned, minutes are replayed, and the primary of PostgreSQL is killed and its standby promoted. `npm run soak` does this for as long as you like, and this is the result of its latest run.',
  async run() {
    const result = readResult()
    if (!result) {
      const body = 'There is no result. Run `npm run soak` first.'
      return { problems: [], verdict: 'not run', body, data: null }
    }
    const days = result.startedAt.slice(0, 10)
    const failovers = result.done.filter(({ name }) => name === 'failover')
    const seen = table(
      ['Failover after', 'What was seen'],
      failovers.map(({ at, seen: text }) => [`${Math.round(at / 60)} min`, text]),
    )
    const command = `Begun on ${days}, of revision ${result.revision}: \`npm run soak -- --hours ${result.hours} --rate ${result.rate} --seed ${result.seed}\`.`
    return {
      problems: result.problems,
      body: [command, formatGrowth(result), seen].join('\n\n'),
      data: result,
    }
  },
}

function readResult(): SoakResult | undefined {
  const file = [soakFile, publishedSoakFile].find((path) => existsSync(path))
  return file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'))
}
