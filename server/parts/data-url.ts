/** The media type that a data URL names, in lower case; `undefined` for any other text. */
export function mediaTypeOfDataUrl(url: string): string | undefined {
  return /^data:([\w.+-]+\/[\w.+-]+)[;,]/i.exec(url.slice(0, 200))?.[1]?.toLowerCase();
}
