import type { ContenderName } from '../contenders/contenders.ts'
import type { Command } from './run-logged.ts'

/** One chapter of the report. */
export interface Part {
  name: string
  title: string
  /** What it shows, and how, in a sentence or two. */
  intro: string
  run(context: PartContext): Promise<Section>
}

export interface PartContext {
  seed: number
  /** Whether the whole report may take ten minutes and not an hour. */
  isQuick: boolean
  say(line: string): void
  /** Runs a program of Node in the repository, and keeps what it prints as a log of the report. */
  run(name: string, args: readonly string[]): Promise<Command>
}

export interface Section {
  /** Why this kit does not hold what the chapter promises; empty if it does. */
  problems: readonly string[]
  /**
   * What to say without problems.
   * @default 'holds'
   */
  verdict?: string
  /** What it adds to the table of all receivers at the top of the report. */
  columns?: readonly Column[]
  /** Markdown. */
  body: string
  /** The measurements behind it. */
  data: unknown
}

/** One measure of the receivers that a chapter compares, as plain text. */
export interface Column {
  title: string
  of: Partial<Record<ContenderName, string>>
}
