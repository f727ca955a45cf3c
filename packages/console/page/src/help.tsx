import { Dialog } from './dialog.tsx'

const keys = [
  ['1 to 5', 'go to a screen'],
  ['/', 'search entries'],
  ['j and k', 'next and previous row'],
  ['Enter', 'open a row'],
  ['Escape', 'leave the search, close a dialog'],
  ['?', 'this list'],
]

/** What can be done without a mouse. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, says]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="buttons">
        <button class="primary">Close</button>
      </form>
    </Dialog>
  )
}
