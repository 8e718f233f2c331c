/** 16 MiB: many times the longest list of models. A server may send a small compressed body that is huge when decompressed. */
const bytesMax = 16 * 1024 * 1024;

/** The text of a response. Throws, and closes the connection, if it is larger than `bytesMax`. */
export async function readBoundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for await (const bytes of response.body ?? []) {
    sizeBytes += bytes.length;
    if (sizeBytes > bytesMax) throw new Error(`the response has more than ${bytesMax} bytes`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
