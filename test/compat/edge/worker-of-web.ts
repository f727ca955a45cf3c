import * as core from '@feed-receiver/core/web'
import { makeWorker } from './worker.ts'

export default makeWorker(core)
