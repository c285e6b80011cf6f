// The models as Java records, one file each. What is sent has a builder; null is what was not given.

import { ANSWERED_CODES, ERROR_CATALOGUE } from '../../src/core/errors.ts'
import { namedWords, sdkModels } from './models.ts'
import type { Field, FieldType, Model, Words } from './models.ts'

const HEADER = '// Generated from the schemas of the service by `npm run docs`: change it there.\n'
const PACKAGE = 'dev.duetime.model'

/** The texts by file name. */
export function javaModels(): Readonly<Record<string, string>> {
  const models = sdkModels()
  const answered = new Set(namedWords(models.filter(({ direction }) => direction === 'answer')).map(({ name }) => name))
  const files = [
    ...models.map((model) => [model.name, recordText(model)]),
    ...namedWords(models).map((words) => [words.name, enumText(words, answered.has(words.name))]),
    ['ErrorCode', codesText()],
  ]
  return Object.fromEntries(files.map(([name, text]) => [`${name}.java`, `${HEADER}package ${PACKAGE};\n\n${text}`]))
}

function codesText(): string {
  const codes = ANSWERED_CODES.map((code) => {
    return `    /** ${javadoc(ERROR_CATALOGUE[code].help)} */\n    public static final String ${code} = "${code}";\n`
  })
  return `/** The codes of the service's refusals. */\npublic final class ErrorCode {\n${codes.join('\n')}\n    private ErrorCode() {}\n}\n`
}

/** Words of a later version are read as UNKNOWN. */
function enumText({ name, words }: Words, isAnswered: boolean): string {
  const values = words.map((word) => `    /** {@code ${word}} */\n    ${constant(word)}("${word}")`)
  if (isAnswered)
    values.push(
      '    /** A word of a later version of the service. */\n    @JsonEnumDefaultValue\n    UNKNOWN("unknown")',
    )
  const imports = [...(isAnswered ? ['JsonEnumDefaultValue'] : []), 'JsonValue']
  return `${imports.map((one) => `import com.fasterxml.jackson.annotation.${one};\n`).join('')}
/** One of the words that the service knows. */
public enum ${name} {
${values.join(',\n')};

    private final String word;

    ${name}(String word) {
        this.word = word;
    }

    /**
     * As it is in the API.
     *
     * @return the word
     */
    @JsonValue
    public String word() {
        return word;
    }
}
`
}

function recordText(model: Model): string {
  const { name, description, fields } = model
  const used = fields.map((field) => typeText(field, model.direction)).join(' ')
  const imports = [
    ['JsonNode', 'com.fasterxml.jackson.databind.JsonNode'],
    ['Instant', 'java.time.Instant'],
    ['List<', 'java.util.List'],
    ['Map<', 'java.util.Map'],
  ]
    .filter(([word]) => used.includes(word!))
    .map(([, path]) => `import ${path};\n`)
  const params = fields.map((field) => ` * @param ${field.name} ${javadoc(field.description ?? field.name)}\n`)
  const components = fields.map((field) => `        ${typeText(field, model.direction)} ${field.name}`)
  return `${imports.join('')}${imports.length > 0 ? '\n' : ''}/**
 * ${javadoc(description)}
 *
${params.join('')} */
public record ${name}(
${components.join(',\n')}) {${model.direction === 'request' ? builderText(model) : ''}}
`
}

function builderText({ name, fields }: Model): string {
  const members = fields.map((field) => `        private ${typeText(field, 'request')} ${field.name};\n`)
  const setters = fields.map((field) => {
    return `
        /**
         * ${javadoc(field.description ?? field.name)}
         *
         * @param value what it is to be
         * @return this
         */
        public Builder ${field.name}(${typeText(field, 'request')} value) {
            this.${field.name} = value;
            return this;
        }
`
  })
  const copies = fields.map((field) => `        copy.${field.name} = ${field.name};\n`)
  return `
    /**
     * With nothing in it.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * With everything that is in this one.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder copy = new Builder();
${copies.join('')}        return copy;
    }

    /** What is not given is left out. */
    public static final class Builder {
${members.join('')}
        private Builder() {}
${setters.join('')}
        /**
         * What was given so far.
         *
         * @return the record
         */
        public ${name} build() {
            return new ${name}(${fields.map((field) => field.name).join(', ')});
        }
    }
`
}

function typeText({ type, isRequired, isNullable }: Field, direction: Model['direction']): string {
  const name = typeName(type, direction)
  return isRequired && !isNullable && direction === 'answer' ? (PRIMITIVES[name] ?? name) : name
}

const PRIMITIVES: Readonly<Record<string, string>> = { Integer: 'int', Double: 'double', Boolean: 'boolean' }

function typeName(type: FieldType, direction: Model['direction']): string {
  switch (type.kind) {
    case 'text':
      return 'String'
    case 'integer':
      return 'Integer'
    case 'number':
      return 'Double'
    case 'boolean':
      return 'Boolean'
    case 'json':
      return direction === 'request' ? 'Object' : 'JsonNode'
    case 'instant':
      return 'Instant'
    case 'word':
      return type.name ?? 'String'
    case 'list':
    case 'oneOrMore':
      return `List<${typeName(type.of, direction)}>`
    case 'map':
      return `Map<String, ${type.of.kind === 'json' ? 'Object' : typeName(type.of, direction)}>`
    case 'model':
      return type.name
  }
}

function constant(word: string): string {
  return word.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

function javadoc(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '{@literal @}')
}
