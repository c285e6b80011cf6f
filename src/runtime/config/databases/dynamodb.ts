// Where a DynamoDB table is, from a URL: dynamodb://region/table, with another endpoint for DynamoDB Local or a private one.
// Credentials are not in it: the SDK finds them as it does for every program, in the environment, a profile or the machine's role.

export type DynamodbLocation = {
  readonly region: string
  readonly table: string
  /** Null: the region's own. */
  readonly endpoint: string | null
}

const FORM = 'dynamodb://eu-central-1/duetime'
const PARAMETERS = ['endpoint']

/** Throws a RangeError that says what is right. */
export function parseDynamodbUrl(text: string): DynamodbLocation {
  const url = URL.parse(text)
  if (url === null) throw new RangeError(`a URL with region and table: ${FORM}`)
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`a URL with no parameter but ${PARAMETERS.join(', ')}; \`${unknown}\` is not known`)
  if (url.username !== '' || url.password !== '')
    throw new RangeError(
      `a URL without credentials (${FORM}): the AWS SDK takes them from its own variables, profiles and roles`,
    )
  const region = url.hostname
  const table = url.pathname.slice(1)
  if (!/^[a-z0-9-]+$/.test(region)) throw new RangeError(`a URL with a region: ${FORM}`)
  if (!/^[a-zA-Z0-9_.-]{3,255}$/.test(table))
    throw new RangeError(`a URL with a table of 3 to 255 letters, digits, _ - and . after the region: ${FORM}`)
  return { region, table, endpoint: endpointOf(url.searchParams.get('endpoint')) }
}

function endpointOf(text: string | null): string | null {
  if (text === null) return null
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new RangeError('a URL whose endpoint is an http or https URL, percent-encoded')
  return text.replace(/\/$/, '')
}
