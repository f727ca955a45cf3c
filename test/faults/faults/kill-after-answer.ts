import { killAtPoint } from './kill-at-point.ts'

export const killAfterAnswer = killAtPoint('receiver', 'after-answer', {
  name: 'kill-after-answer',
  describe: 'a receiver dies as soon as it has answered',
})
