import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { isJsonObject } from "#contract/json.ts";
import { webPage } from "./failure.ts";
import type { Line } from "./line.ts";

/** More than this without a line's end is no event of a chat; it would only fill the memory. */
const lineBytesMax = 16 * 1024 * 1024;
/** An answer that is not streamed is read whole, up to this. */
const wholeBytesMax = 8 * 1024 * 1024;
/** What may wait, in UTF-16 units, while we do not ask for more; then the provider is held back. */
const waitingLengthMax = 256 * 1024;

/** What a provider sends of one answer, event by event. */
export type Wire = {
  /**
   * The data of the events that came since the last call, after a wait where there were none; `undefined` when the
   * answer is over. Throws what broke it, after all that came before.
   */
  more(): Promise<string[] | undefined>;
};

/**
 * Reads an accepted answer. Tells the line of every byte, bounds what a line may hold, and takes an answer that was not
 * streamed for a stream of one event.
 */
export function readWire(answer: IncomingMessage, line: Line): Wire {
  const type = answer.headers["content-type"] ?? "";
  if (type.includes("text/html")) {
    answer.destroy();
    const page = Object.assign(new Error("the provider answered with a page of HTML"), { code: webPage });
    return { more: () => Promise.reject(page) };
  }
  if (type.includes("application/json")) {
    let read = false;
    return {
      async more() {
        if (read) return undefined;
        read = true;
        return [asChunk(await readWhole(answer, line))];
      },
    };
  }
  return readEvents(answer, line);
}

function readEvents(answer: IncomingMessage, line: Line): Wire {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent({ data }) {
      waiting.push(data);
      waitingLength += data.length;
    },
  });
  let waiting: string[] = [];
  let waitingLength = 0;
  let lineBytes = 0;
  let over: { failure?: unknown } | undefined;
  let wake = () => {};

  function end(how: { failure?: unknown }): void {
    over ??= how;
    wake();
  }

  answer.on("data", (bytes: Buffer) => {
    line.heard();
    const lineEnd = bytes.lastIndexOf(10);
    lineBytes = lineEnd === -1 ? lineBytes + bytes.length : bytes.length - lineEnd;
    if (lineBytes > lineBytesMax) {
      answer.destroy(new Error(`a line of more than ${lineBytesMax} bytes`));
      return;
    }
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (waitingLength > waitingLengthMax) answer.pause();
    if (waiting.length > 0) wake();
  });
  answer.once("end", () => end({}));
  answer.on("error", (failure) => end({ failure }));
  // The last word of a connection that was ours to end.
  answer.once("close", () => end({ failure: new Error("the connection was closed") }));

  return {
    async more() {
      if (waiting.length === 0 && over === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (waiting.length > 0) {
        const taken = waiting;
        waiting = [];
        waitingLength = 0;
        if (answer.isPaused()) answer.resume();
        return taken;
      }
      if (over !== undefined && "failure" in over) throw over.failure;
      return undefined;
    },
  };
}

/** The body of an answer that is no stream. */
export async function readWhole(answer: IncomingMessage, line: Line): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of answer) {
    line.heard();
    text += decoder.decode(bytes as Buffer, { stream: true });
    if (text.length > wholeBytesMax) throw new Error("an answer too large to read whole");
  }
  return text;
}

/** Some servers know no streaming and answer with the whole completion, some with an error under status 200. */
function asChunk(text: string): string {
  const answer: unknown = JSON.parse(text);
  if (!isJsonObject(answer)) throw new Error("an answer that is no JSON object");
  if (!Array.isArray(answer.choices)) return JSON.stringify(answer);
  const choices = answer.choices.map((choice) =>
    isJsonObject(choice) && choice.delta === undefined
      ? { ...choice, delta: choice.message ?? null }
      : choice,
  );
  return JSON.stringify({ ...answer, choices });
}
