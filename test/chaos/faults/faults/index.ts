import type { Fault } from '../fault.ts'
import { alertsKilled } from './alerts-killed.ts'
import { answerLost } from './answer-lost.ts'
import { backendsTerminated } from './backends-terminated.ts'
import { backlogCrash } from './backlog-crash.ts'
import { blackHole } from './black-hole.ts'
import { killClaimedAhead, killSharing, sharingDisturbed } from './busy-workers.ts'
import { clockFast, clockSlow } from './clock-wrong.ts'
import { connectionsCut } from './connections-cut.ts'
import { databaseFrozen } from './database-frozen.ts'
import { diskFull } from './disk-full.ts'
import { handlerExpires } from './handler-expires.ts'
import { handlingPaused } from './handling-paused.ts'
import { killAfterAnswer } from './kill-after-answer.ts'
import { killAfterCommit } from './kill-after-commit.ts'
import { killAfterEffect } from './kill-after-effect.ts'
import { killReceiver, killWorker } from './kill-at-random.ts'
import { killAfterFinish, killAfterInsert } from './kill-before-commit.ts'
import { killBeforeInsert } from './kill-before-insert.ts'
import { killInHandler } from './kill-in-handler.ts'
import { latency } from './latency.ts'
import { poolExhausted } from './pool-exhausted.ts'
import { primaryFrozen, primaryKilled } from './primary-fails.ts'
import { receiverPaused, workerPaused } from './process-paused.ts'
import { reprocessKilled } from './reprocess-killed.ts'
import { resetDuringCommit } from './reset-during-commit.ts'
import { databaseFast, databaseImmediate } from './restart-database.ts'
import { rollingRestart } from './rolling-restart.ts'
import { secretRotated } from './secret-rotated.ts'
import { senderKilled } from './sender-killed.ts'
import { slowBody } from './slow-body.ts'
import { tableLocked } from './table-locked.ts'

/**
 * The faults that any receiver can be put to. The others need this kit's tables, rotation, pauses,
 * reprocesses or deadlines.
 */
export const commonFaults: readonly Fault[] = [
  killBeforeInsert,
  killAfterInsert,
  killAfterCommit,
  killAfterAnswer,
  killReceiver,
  killInHandler,
  killAfterEffect,
  killWorker,
  databaseImmediate,
  databaseFast,
  backendsTerminated,
  databaseFrozen,
  backlogCrash,
  primaryKilled,
  primaryFrozen,
  connectionsCut,
  blackHole,
  latency,
  clockFast,
  clockSlow,
  senderKilled,
  answerLost,
  workerPaused,
  rollingRestart,
]

/** All faults, in the order of `--help`. */
export const faults: readonly Fault[] = [
  killBeforeInsert,
  killAfterInsert,
  killAfterCommit,
  killAfterAnswer,
  killReceiver,
  killInHandler,
  killAfterEffect,
  killAfterFinish,
  killClaimedAhead,
  killSharing,
  killWorker,
  databaseImmediate,
  databaseFast,
  backendsTerminated,
  databaseFrozen,
  backlogCrash,
  primaryKilled,
  primaryFrozen,
  connectionsCut,
  blackHole,
  resetDuringCommit,
  latency,
  tableLocked,
  poolExhausted,
  diskFull,
  clockFast,
  clockSlow,
  senderKilled,
  answerLost,
  slowBody,
  secretRotated,
  receiverPaused,
  workerPaused,
  rollingRestart,
  handlerExpires,
  sharingDisturbed,
  handlingPaused,
  reprocessKilled,
  alertsKilled,
]
