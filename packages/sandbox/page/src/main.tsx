import { Frame, Mark } from '@feed-receiver/page-kit'
import { render } from 'preact'
import { Clock } from './clock.tsx'
import { Keyboard } from './keyboard.tsx'
import { Once } from './once.tsx'
import { screens } from './screens.tsx'

const mark = <Mark path="M8 23h16M10.500 23l2-9h7l2 9M12.500 14V9.500h7V14" />

const foot = (
  <>
    <a href="/developers">For developers</a>
    <a href="/v1/schema.json">OpenAPI</a>
    <Keyboard />
  </>
)

const root = document.getElementById('app')
if (root) {
  render(
    <>
      <Frame title="Sandbox" mark={mark} screens={screens} foot={foot} top={<Clock />} />
      <Once />
    </>,
    root,
  )
}
