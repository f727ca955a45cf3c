import { killReceiverAt } from './kill-at-point.ts'

export const killAfterCommit = killReceiverAt('after-commit', {
  name: 'kill-after-commit',
  describe: 'a receiver dies after the commit and before the response',
})
