/** A tool server sent more than it may. */
export class FloodError extends Error {
  override readonly name = "FloodError";
  constructor(limitBytes: number) {
    super(`The server sent more than ${Math.floor(limitBytes / 1024 / 1024)} MB at once.`);
  }
}

/** One message: 8 MiB, which is a picture of 6 MB in Base64. */
export const messageBytesMax = 8 * 1024 * 1024;
/** One response, which may be a stream that stays open. */
const responseBytesMax = 64 * 1024 * 1024;

/**
 * The response, whose body fails with `FloodError` when one message of it has more than `messageMax` bytes, or when the
 * whole has more than `wholeMax`. Messages of an event stream end with an empty line; any other body is one message.
 */
export function boundResponse(
  response: Response,
  { messageMax = messageBytesMax, wholeMax = responseBytesMax } = {},
): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  let [whole, message] = [0, 0];
  let isLineEmpty = true;
  const limiter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      whole += chunk.length;
      if (whole > wholeMax) return controller.error(new FloodError(wholeMax));
      message = isStream ? lengthOfLast(chunk) : whole;
      if (message > messageMax) return controller.error(new FloodError(messageMax));
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(limiter as ReadableWritablePair<never, never>), {
    status,
    statusText,
    headers,
  });

  /** How long the message is that the chunk ends in, or its longest one if that is too long. */
  function lengthOfLast(chunk: Uint8Array): number {
    let length = message;
    for (const byte of chunk) {
      if (++length > messageMax) return length;
      if (byte === 10) {
        if (isLineEmpty) length = 0;
        isLineEmpty = true;
      } else if (byte !== 13) isLineEmpty = false;
    }
    return length;
  }
}
