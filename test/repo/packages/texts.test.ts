import { withoutSecrets } from '@feed-receiver/core/internal'
import { expect, it } from 'vitest'
import { errorClasses } from '../../../docs/.vitepress/reference/errors.ts'
import { readThrownTexts } from '../../../docs/.vitepress/reference/thrown-texts.ts'
import { root } from '../check/workspaces.ts'

it.each(Object.entries(errorClasses))(
  'no error of %s has a text that the redactor of logs would garble',
  (folder, className) => {
    const texts = [...readThrownTexts(`${root}/packages/${folder}/src`, className).values()].flat()
    expect(texts).not.toEqual([])
    expect(texts.filter((text) => withoutSecrets(text) !== text)).toEqual([])
  },
)
