/** The bytes of a data URL; `undefined` when it is not one, or is broken. */
export function bytesOf(dataUrl: string): Uint8Array<ArrayBuffer> | undefined {
  const match = /^data:[^,]*?(;base64)?,/i.exec(dataUrl);
  if (match === null) return undefined;
  const body = dataUrl.slice(match[0].length);
  try {
    if (match[1] === undefined) return new TextEncoder().encode(decodeURIComponent(body));
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
