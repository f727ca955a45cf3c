import type { PGlite } from '@electric-sql/pglite'
import { DatabaseError, messageOf } from '../errors.ts'

/**
 * The engine functions that PGlite calls for each statement, and its file system. They are not part
 * of its documented interface.
 */
interface EngineFunctions {
  _PostgresMainLoopOnce(): void
  stackRestore(pointer: number): void
  _PostgresSendReadyForQueryIfNecessary(): void
  _pgl_pq_flush(): void
  FS: { streams: readonly unknown[]; close(stream: unknown): void }
}

/** The status with which the engine leaves a failed statement and continues. */
const longjmpStatus = 100

/**
 * Makes an engine crash properly. When PostgreSQL aborts, for example because its log (WAL) cannot
 * grow, PGlite drops the exception and runs the same statement again, for ever. Here the exception
 * leaves that loop, and every later call rejects. Committed data is in the files, as after a killed
 * process.
 */
export function watchCrash(lite: PGlite) {
  const engine: object = lite.Module
  if (!hasEngineFunctions(engine)) return { hasCrashed: () => false, closeFiles: () => {} }
  const execute = lite.execProtocolRawSync.bind(lite)
  let crash: DatabaseError | undefined

  wrap(engine, '_PostgresMainLoopOnce', (runOnce) => () => {
    try {
      runOnce()
    } catch (error) {
      if (!isLongjmp(error)) crash ??= crashed(error)
      throw error
    }
  })
  // The only call in the loop that is outside its try block.
  wrap(engine, 'stackRestore', (restore) => (pointer) => {
    if (crash) throw crash
    restore(pointer)
  })
  wrap(engine, '_PostgresSendReadyForQueryIfNecessary', unlessCrashed)
  wrap(engine, '_pgl_pq_flush', unlessCrashed)
  lite.execProtocolRawSync = (message) => {
    if (crash) throw crash
    return execute(message)
  }
  return {
    hasCrashed: () => crash !== undefined,
    /**
     * Closes the files of a crashed engine, which would otherwise stay open until the process ends.
     */
    closeFiles: () => closeFiles(engine),
  }

  function unlessCrashed(call: () => void): () => void {
    return () => {
      if (!crash) call()
    }
  }
}

function wrap<Name extends keyof EngineFunctions>(
  engine: EngineFunctions,
  name: Name,
  around: (original: EngineFunctions[Name]) => EngineFunctions[Name],
): void {
  engine[name] = around(engine[name])
}

function closeFiles({ FS }: EngineFunctions): void {
  for (const stream of FS.streams) {
    try {
      if (stream) FS.close(stream)
    } catch {
      // Already closed, or on a disk that is gone.
    }
  }
}

// Another version of PGlite may lack them; a test crashes a real engine of this version.
function hasEngineFunctions(engine: object): engine is EngineFunctions {
  return '_PostgresMainLoopOnce' in engine && 'stackRestore' in engine && 'FS' in engine
}

function isLongjmp(error: unknown): boolean {
  return error instanceof Object && Reflect.get(error, 'status') === longjmpStatus
}

function crashed(cause: unknown): DatabaseError {
  return new DatabaseError(
    'unavailable',
    `The embedded database crashed (${messageOf(cause)}), so it is unknown whether this statement took effect. The next call reopens it.`,
    { cause },
  )
}
