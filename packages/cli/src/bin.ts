#!/usr/bin/env node
import { main } from './program.ts'

const { env, stdin, stdout, stderr } = process
const stopping = new AbortController()

// The first asks what is under way to end, the second ends the process.
process.once('SIGINT', () => stopping.abort())
process.once('SIGTERM', () => stopping.abort())

// Whoever reads our output may have seen enough, as `head` has.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const { signal } = stopping
process.exitCode = await main(process.argv.slice(2), { env, stdin, stdout, stderr, signal })

// What a module of handlers has opened, such as a pool, would keep the process after its end.
stdout.write('', () => setTimeout(() => process.exit(), 500).unref())
