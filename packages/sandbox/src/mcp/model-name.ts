import { z } from 'zod'

export const modelName = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'expected 1 to 200 characters, none of control')
  .describe('The exact id of the model, alone or as provider/model.')
