/** The base64 of a data URL or of bare base64; `undefined` for anything else, such as a path on this server. */
export function base64Of(data: string): string | undefined {
  if (!data.startsWith("data:")) {
    // A path such as /v1/files/7 has only base64 characters too. The base64 of a JPEG starts with /9j/.
    const bytes = data.replace(/\s+/g, "");
    return /^[A-Za-z0-9+/]+={0,2}$/.test(bytes) && bytes.length % 4 === 0 && !/^\/(?!9j)\w+\//.test(bytes)
      ? bytes
      : undefined;
  }
  const comma = data.indexOf(",");
  if (comma === -1) return undefined;
  const content = data.slice(comma + 1);
  if (/;base64$/i.test(data.slice(0, comma))) return content;
  try {
    return Buffer.from(decodeURIComponent(content)).toString("base64");
  } catch {
    return undefined;
  }
}
