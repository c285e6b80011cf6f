// The labels of a node as one text, for engines that keep them in a column.

/** A label has no space. */
export function labelsText(labels: readonly string[]): string {
  return labels.join(' ')
}

export function labelsIn(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}
