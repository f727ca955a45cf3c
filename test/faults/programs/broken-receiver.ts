// Answers before it stores: what the checker must catch.
import { runReceiver } from './run-receiver.ts'

await runReceiver((inbox) => ({
  ...inbox,
  async accept(delivery) {
    inbox.accept(delivery).catch(() => undefined)
    return 'stored'
  },
}))
