#!/usr/bin/env node
import { main } from './program.ts'

const { env, stdin, stdout, stderr } = process
const stopping = new AbortController()

// The first signal shuts down gracefully; the second kills the process.
process.once('SIGINT', () => stopping.abort())
process.once('SIGTERM', () => stopping.abort())

// The reader of the output may close the pipe early, as `head` does.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const { signal } = stopping
process.exitCode = await main(process.argv.slice(2), { env, stdin, stdout, stderr, signal })

// Resources that a module of handlers opened, such as a pool, would keep the process running.
stdout.write('', () => setTimeout(() => process.exit(), 500).unref())
