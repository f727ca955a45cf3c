import { runReceiver } from './run-receiver.ts'

await runReceiver()
