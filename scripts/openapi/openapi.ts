// As much of an OpenAPI 3.1 document as the scripts beside it read.

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
} & Readonly<Record<string, unknown>>

export type Media = { readonly schema?: Schema; readonly example?: unknown }
export type Content = Readonly<Record<string, Media>>
export type Answer = { readonly description?: string; readonly content?: Content }
export type Parameter = {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema?: Schema
}

export type Operation = {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

export type OpenApiDocument = {
  readonly info: Readonly<Record<string, unknown>>
  readonly servers?: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}
