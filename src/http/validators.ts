// Fastify compiles the schemas of all routes when a server starts, which takes 150 ms of a core, although most routes are
// asked rarely. Here a schema is compiled for its first request, and once for all servers of the process.

import { AjvCompiler } from '@fastify/ajv-compiler'
import type { BuildCompilerFromPool } from '@fastify/ajv-compiler'

type Validate = ReturnType<ReturnType<BuildCompilerFromPool>>

/** It remembers what it has compiled, by the schema's object. */
const build = AjvCompiler()

export const buildValidator: BuildCompilerFromPool = (shared, options) => {
  const compile = build(shared, options)
  return (route) => {
    let compiled: Validate | null = null
    const validate = (value: unknown) => {
      compiled ??= compile(route)
      const isValid = compiled(value)
      validate.errors = compiled.errors // Fastify looks for them here
      return isValid
    }
    validate.errors = null as Validate['errors']
    return validate as Validate
  }
}
