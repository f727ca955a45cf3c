import { killAtPoint } from './kill-at-point.ts'

export const killAfterCommit = killAtPoint('receiver', 'after-commit', {
  name: 'kill-after-commit',
  describe: 'a receiver dies after the commit and before the answer',
})
