import { formatPlural } from '@feed-receiver/page-kit'
import { leaveOutEqual, pairLines } from './pair-lines.ts'

export interface CompareProps {
  titles: [string, string]
  texts: [string, string]
  /** The text if no line differs. */
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
