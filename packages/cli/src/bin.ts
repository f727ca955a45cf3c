#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { main } from './program.ts'

// By default, V8 spends half of the processor time of a short command on optimizing the code of the
// embedded database. With this budget it optimizes only what runs for long. Bun has no V8.
if (!('bun' in process.versions)) setFlagsFromString('--wasm-tiering-budget=180000000')

const { env, stdin, stdout, stderr } = process
const stopping = new AbortController()

// The first signal shuts down gracefully; the second kills the process.
process.once('SIGINT', () => stopping.abort())
process.once('SIGTERM', () => stopping.abort())

// The reader of a pipe may close it early, as `head` does.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // Nobody reads the rest of the result. An error still has its exit code.
    if (stream === stdout) process.exit(0)
  })
}

const { signal } = stopping
process.exitCode = await main(process.argv.slice(2), { env, stdin, stdout, stderr, signal })

// Resources that a module of handlers opened, such as a pool, would keep the process running.
stdout.write('', () => setTimeout(() => process.exit(), 500).unref())
