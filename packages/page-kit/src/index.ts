export { ApiError, get, messageOf, post, type Query } from './api.ts'
export {
  Action,
  Check,
  Choose,
  Field,
  Form,
  given,
  Segments,
  Select,
  type Choice,
  type Values,
} from './controls.tsx'
export { Copy } from './copy.tsx'
export { AskFirst, Dialog } from './dialog.tsx'
export { Foreign, ForeignLink } from './foreign.tsx'
export { Frame, Head, Mark, type Screen } from './frame.tsx'
export { useKeys, useSteps } from './keys.ts'
export { Facts, More, RowLink, State, Table, withMore } from './lists.tsx'
export { Shown, tellChanged, useLive } from './live.tsx'
export { Notices, notify } from './notices.tsx'
export { linkTo, readRoute, replaceRoute, type ScreenProps } from './route.ts'
export { useTask } from './task.ts'
export { createTopic, tell, useTopic } from './topic.ts'
export { formatNumber, formatPlural, spell, toPretty, useTick } from './words.ts'
