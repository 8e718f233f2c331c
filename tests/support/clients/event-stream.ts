/** One server-sent event with its data parsed as JSON. */
export type Frame<Data = unknown> = { id: number | undefined; event: string | undefined; data: Data };

/** A stream of server-sent events that a test reads frame by frame. */
export type EventStream<Data> = AsyncIterableIterator<Frame<Data>> & {
  response: Response;
  /** Reads until `found` and returns the frames read, including that one. Throws if the stream ends before. */
  until(found: (frame: Frame<Data>) => boolean): Promise<Frame<Data>[]>;
  /** Reads to the end. */
  rest(): Promise<Frame<Data>[]>;
  /** The number of comment lines so far. */
  comments(): number;
  /** Closes the connection. */
  close(): void;
};

/** Parses an event stream strictly: throws for anything that a lenient parser would ignore. */
export function readEventStream<Data>(
  response: Response,
  disconnect: () => void,
  dataOf = (json: unknown) => json as Data,
): EventStream<Data> {
  let commentLines = 0;
  async function* read(): AsyncGenerator<Frame<Data>, void, undefined> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (block.startsWith(":")) commentLines++;
        else yield frameOf(block, dataOf);
      }
    }
    if (text !== "") throw new Error(`The stream ended inside an event: ${JSON.stringify(text)}`);
  }
  const frames = read();
  return Object.assign(frames as AsyncIterableIterator<Frame<Data>>, {
    response,
    async until(found: (frame: Frame<Data>) => boolean) {
      const seen: Frame<Data>[] = [];
      for (;;) {
        const next = await frames.next();
        if (next.done === true)
          throw new Error(`The stream ended before the expected event, after: ${JSON.stringify(seen)}`);
        seen.push(next.value);
        if (found(next.value)) return seen;
      }
    },
    async rest() {
      return await Array.fromAsync({ [Symbol.asyncIterator]: () => frames });
    },
    comments: () => commentLines,
    close: disconnect,
  });
}

function frameOf<Data>(block: string, dataOf: (json: unknown) => Data): Frame<Data> {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const match = /^(id|event|data): (.*)$/s.exec(line);
    if (match === null) throw new Error(`Not a line of an event: ${JSON.stringify(line)}`);
    if (fields.has(match[1]!)) throw new Error(`A field occurs twice in one event: ${line}`);
    fields.set(match[1]!, match[2]!);
  }
  const id = fields.get("id");
  return {
    id: id === undefined ? undefined : Number(id),
    event: fields.get("event"),
    data: dataOf(JSON.parse(fields.get("data") ?? "null")),
  };
}
