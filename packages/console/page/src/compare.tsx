import { fromBase64, toPretty, toText } from './bytes.ts'
import { pairLines } from './pair-lines.ts'

export interface CompareProps {
  titles: [string, string]
  /** In Base64. */
  bodies: [string, string]
}

/** Two bodies side by side, line by line; what differs is marked, and said to readers of screens. */
export function Compare({ titles, bodies }: CompareProps) {
  const [left, right] = bodies.map((body) => {
    const text = toText(fromBase64(body))
    return (toPretty(text) ?? text).split('\n')
  })
  const pairs = pairLines(left ?? [], right ?? [])
  return (
    <section aria-labelledby="compare-title">
      <h2 id="compare-title">What differs</h2>
      <div class="compare" tabIndex={0} role="region" aria-label="Both bodies, line by line">
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
            {pairs.map(([one, other], index) => (
              <tr key={index} class={one === other ? '' : 'differs'}>
                <td>{one}</td>
                <td>{other}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pairs.every(([one, other]) => one === other) && (
        <p class="hint">
          They say the same, and differ in how they are written: see the exact bytes.
        </p>
      )}
    </section>
  )
}
