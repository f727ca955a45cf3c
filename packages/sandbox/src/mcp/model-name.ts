import { plainText } from '../state/plain-text.ts'

export const modelName = plainText(200).describe(
  'The exact id of the model, alone or as provider/model.',
)
