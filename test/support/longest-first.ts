import { BaseSequencer, type TestSpecification } from 'vitest/node'

const long = [
  /\/test\/(integration|chaos\/kills)\//,
  /\/wrong-receivers\//,
  /\/cli\/src\/.*\.test\.ts$/,
  /kill|coming-back|worker|health|entry-plans|reproduc|limits|replay|lock|pg-boss/,
]

/** Runs files that start processes or wait first, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of a sequencer, and not of an array
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  return long.some((pattern) => pattern.test(moduleId)) ? 0 : 1
}
