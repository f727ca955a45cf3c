import { Foreign, spell } from '@feed-receiver/page-kit'
import type { ViewAnswer } from '../../src/views.ts'
import { When } from './words.tsx'

/** The open alerts, each with its fix. */
export function Alerts({ alerts }: Pick<ViewAnswer<'overview'>, 'alerts'>) {
  if (alerts.length === 0) return null
  return (
    <ul class="banner warn alerts" aria-label="Open alerts">
      {alerts.map(({ id, rule, message, fix, openedAt }) => (
        <li key={id}>
          <p>
            <strong>Alert: {spell(rule)}.</strong> <Foreign text={message} /> Open since{' '}
            <When at={openedAt} />.
          </p>
          <p>
            <Fix text={fix} />
          </p>
        </li>
      ))}
    </ul>
  )
}

/** Text of this kit, with commands between backticks. */
function Fix({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>
}
