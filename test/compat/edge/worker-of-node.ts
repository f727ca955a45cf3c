import * as core from '@feed-receiver/core'
import { makeWorker } from './worker.ts'

export default makeWorker(core)
