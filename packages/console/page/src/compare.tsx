import { formatPlural } from '@feed-receiver/page-kit'
import { leaveOutEqual, pairLines } from './pair-lines.ts'

export interface CompareProps {
  titles: [string, string]
  texts: [string, string]
  whenSame: string
  /** Whether to show only the differing lines, with a few lines around them. */
  isShort?: boolean
}

/** Shows two texts side by side, line by line. Differences are marked, also for screen readers. */
export function Compare({ titles, texts, whenSame, isShort = false }: CompareProps) {
  const [left, right] = texts.map((text) => text.split('\n'))
  const pairs = pairLines(left ?? [], right ?? [])
  const shown = isShort ? leaveOutEqual(pairs) : pairs
  return (
    <>
      <div class="box compare" tabIndex={0} role="region" aria-label="Comparison, line by line">
        <table>
          <thead>
            <tr>
              {titles.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((pair, index) =>
              typeof pair === 'number' ? (
                <tr key={index} class="left-out">
                  <td colSpan={2}>… {formatPlural(pair, 'equal line', 'equal lines')}</td>
                </tr>
              ) : (
                <tr key={index} class={pair[0] === pair[1] ? '' : 'differs'}>
                  <td>{pair[0]}</td>
                  <td>{pair[1]}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      {pairs.every(([one, other]) => one === other) && <p class="hint">{whenSame}</p>}
    </>
  )
}

/** A value as JSON with sorted members, so that two values can be compared line by line. */
export function toSortedJson(value: unknown): string {
  try {
    return JSON.stringify(value, sortMembers, 2)
  } catch {
    return '(nested too deep to be shown)'
  }
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
